import type { Environment } from '../../domain/access/api-key.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { Operation } from '../operation.ts';
import { basePath, consoleUrlOf, type PublicUrls } from '../public-urls.ts';
import type { Responder } from '../request-context.ts';
import type { ConsoleOperation } from './console-operation.ts';
import { notSignedIn } from './find-session.ts';
import { guardSignIn, type SignInCounts, signIn } from './operations/sign-in.ts';
import { type ReportRefusal, refuseOtherSite } from './same-origin.ts';
import { formatRemovals, readSessionCookies } from './session-cookie.ts';

interface GuardOptions {
  readonly environment: Environment;
  readonly publicUrls: PublicUrls;
  readonly signIns: SignInCounts;
  readonly reportRefusal: ReportRefusal;
}

/** Checks each request for an operation below the console, before the pipeline. */
export type ConsoleGuard = (
  respond: Responder,
  operation: Operation | ConsoleOperation,
) => Responder;

export function createConsoleGuard(options: GuardOptions): ConsoleGuard {
  const { environment, publicUrls, signIns, reportRefusal } = options;
  const ownUrl = publicUrls[environment];
  return (respond, operation) => {
    const isSignIn = operation === signIn;
    const answer = isSignIn ? guardSignIn(respond, ownUrl, signIns, reportRefusal) : respond;
    return (context) => {
      const refused = refuseOtherSite(context, reportRefusal);
      if (refused !== undefined) return refused;
      const { request, baseUrl, target } = context;
      if (operation.audience === 'clients') {
        context.baseUrl = `${consoleUrlOf(baseUrl)}${basePath}`;
        // The next user of this browser can be another person. Answers of other kinds are not stored anyway.
        if (operation.kind === 'read') context.headers['cache-control'] = 'no-store';
      }
      return andThen(answer(context), (result) => {
        if (result !== notSignedIn) return result;
        // A cookie of this name that opens nothing may hide that of the session.
        const tokens = readSessionCookies(request.headers, baseUrl, environment);
        if (tokens.length > 0) {
          context.setCookies = formatRemovals(baseUrl, environment, target.path);
        }
        return result;
      });
    };
  };
}
