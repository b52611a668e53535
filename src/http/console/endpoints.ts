import type { Environment } from '../../domain/access/api-key.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import { operationResponder } from '../pipeline.ts';
import { basePath, consolePath, consoleUrlOf, type PublicUrls } from '../public-urls.ts';
import type { OperationServices, PipelineServices, Responder } from '../request-context.ts';
import type { Endpoint } from '../router.ts';
import { consoleOperations } from './console-operations.ts';
import type { ConsoleServices } from './console-services.ts';
import { createAuthenticateSession, notSignedIn, type Sessions } from './find-session.ts';
import { type SignInCounts, signIn, watchSignIns } from './operations/sign-in.ts';
import { consolePageEndpoints } from './page.ts';
import { forOwnPage, type ReportRefusal, refuseOtherAddress } from './same-origin.ts';
import { formatRemovals, readSessionCookies } from './session-cookie.ts';

/** What checks each request below the console. */
export interface ConsoleGuard {
  readonly environment: Environment;
  readonly sessions: Sessions;
  readonly publicUrls: PublicUrls;
  readonly signIns: SignInCounts;
  readonly reportRefusal: ReportRefusal;
}

/** The page of the console, and the operations that only the console calls. */
export function consoleEndpoints(
  pipeline: PipelineServices,
  console: ConsoleServices,
  checks: ConsoleGuard,
): Endpoint<Responder>[] {
  const authenticate = createAuthenticateSession(console.sessions);
  const called = consoleOperations.map((operation) => {
    const { method, path } = operation;
    const services: OperationServices = {
      ...pipeline,
      authenticate,
      operation,
      console,
      deprecationHeaders: undefined,
    };
    const respond = operationResponder(services);
    const value = guard(operation === signIn ? guardSignIn(respond, checks) : respond, checks);
    return { method, path: `${consolePath}${basePath}${path}`, value };
  });
  return [...consolePageEndpoints(), ...called];
}

function guardSignIn(respond: Responder, checks: ConsoleGuard): Responder {
  const ownUrl = checks.publicUrls[checks.environment];
  return watchSignIns(
    (context) => refuseOtherAddress(context, ownUrl) ?? respond(context),
    checks.signIns,
    checks.reportRefusal,
  );
}

/** An operation as the console calls it: for a session, below the address of the console. */
export function consoleOperation(services: OperationServices, console: ConsoleGuard): Responder {
  const authenticate = createAuthenticateSession(console.sessions);
  const respond = operationResponder({ ...services, authenticate });
  return guard((context) => {
    context.baseUrl = `${consoleUrlOf(context.baseUrl)}${basePath}`;
    // The next user of this browser can be another person. Answers of other kinds are not stored anyway.
    if (services.operation.kind === 'read') context.headers['cache-control'] = 'no-store';
    return respond(context);
  }, console);
}

function guard(respond: Responder, { environment, reportRefusal }: ConsoleGuard): Responder {
  return forOwnPage((context) => {
    const { request, baseUrl, target } = context;
    return andThen(respond(context), (result) => {
      // A cookie of this name that opens nothing may hide that of the session.
      const { headers } = request;
      if (result === notSignedIn && readSessionCookies(headers, baseUrl, environment).length > 0) {
        context.setCookies = formatRemovals(baseUrl, environment, target.path);
      }
      return result;
    });
  }, reportRefusal);
}
