import type { Awaitable } from '../../domain/awaitable.ts';
import type { Failure } from '../../domain/error.ts';
import type { Answer } from '../answer.ts';
import { answerOperation } from '../pipeline.ts';
import { basePath, consoleUrlOf } from '../public-urls.ts';
import type { OperationServices, RequestContext, Responder } from '../request-context.ts';
import type { Endpoint } from '../router.ts';
import { createAuthenticateSession, type Sessions } from './find-session.ts';
import { keyEndpoints } from './key-endpoints.ts';
import { consolePageEndpoints } from './page.ts';
import { forOwnPage } from './same-origin.ts';
import type { ConsoleServices } from './services.ts';
import { sessionEndpoints } from './session-endpoints.ts';

/** The console, and what only it calls. */
export function consoleEndpoints(services: ConsoleServices): Endpoint<Responder>[] {
  const called = [...sessionEndpoints(services), ...keyEndpoints(services)];
  return [
    ...consolePageEndpoints(),
    ...called.map((endpoint) => ({ ...endpoint, value: forOwnPage(endpoint.value) })),
  ];
}

/** An operation as the console calls it: for a session, below the address of the console. */
export function consoleOperation(services: OperationServices, sessions: Sessions): Responder {
  const ownServices = { ...services, authenticate: createAuthenticateSession(sessions) };
  return forOwnPage((context) => answerBelowConsole(context, ownServices));
}

function answerBelowConsole(
  context: RequestContext,
  services: OperationServices,
): Awaitable<Answer | Failure> {
  context.baseUrl = `${consoleUrlOf(context.baseUrl)}${basePath}`;
  // Whoever comes to this browser next may be somebody else. All other answers are not stored anyway.
  if (services.operation.kind === 'read') context.headers['cache-control'] = 'no-store';
  return answerOperation(context, services);
}
