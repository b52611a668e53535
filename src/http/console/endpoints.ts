import type { Environment } from '../../domain/access/api-key.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import type { Answer, Failure } from '../answer/answer.ts';
import { answerOperation } from '../pipeline.ts';
import { basePath, consoleUrlOf } from '../public-urls.ts';
import type { OperationServices, RequestContext, Responder } from '../request-context.ts';
import type { Endpoint } from '../router.ts';
import { createAuthenticateSession, notSignedIn, type Sessions } from './find-session.ts';
import { keyEndpoints } from './key-endpoints.ts';
import { consolePageEndpoints } from './page.ts';
import { forOwnPage, type ReportRefusal } from './same-origin.ts';
import type { ConsoleServices } from './services.ts';
import { removePlantedCookies } from './session-cookie.ts';
import { sessionEndpoints } from './session-endpoints.ts';

/** The console, and what only it calls. */
export function consoleEndpoints(services: ConsoleServices): Endpoint<Responder>[] {
  const called = [...sessionEndpoints(services), ...keyEndpoints(services)];
  return [
    ...consolePageEndpoints(),
    ...called.map((endpoint) => ({ ...endpoint, value: guard(endpoint.value, services) })),
  ];
}

/** What checks each request below the console. */
export interface ConsoleGuard {
  readonly environment: Environment;
  readonly sessions: Sessions;
  readonly reportRefusal: ReportRefusal;
}

/** An operation as the console calls it: for a session, below the address of the console. */
export function consoleOperation(services: OperationServices, console: ConsoleGuard): Responder {
  const ownServices = { ...services, authenticate: createAuthenticateSession(console.sessions) };
  return guard((context) => answerBelowConsole(context, ownServices), console);
}

function guard(respond: Responder, { environment, reportRefusal }: ConsoleGuard): Responder {
  return forOwnPage((context) => {
    const { baseUrl } = context;
    return andThen(respond(context), (result) => {
      if (result === notSignedIn) removePlantedCookies(context, baseUrl, environment);
      return result;
    });
  }, reportRefusal);
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
