import type { Environment } from '../../domain/access/api-key.ts';
import { echo } from '../../domain/echo.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import { invalidApiKey } from '../access/authenticate.ts';
import { type Failure, fail, isFailure } from '../failure.ts';
import type { Operation } from '../operation.ts';
import { basePath, consoleUrlOf, type PublicUrls } from '../public-urls.ts';
import type { RequestContext, Responder } from '../request-context.ts';
import type { RefusedConsoleRequest } from '../request-log.ts';
import type { ConsoleOperation } from './console-operation.ts';
import { signIn } from './operations/sign-in.ts';
import { formatRemovals, readSessionCookies } from './session-cookie.ts';
import { notSignedIn } from './sessions.ts';

/** Checks each request for an operation below the console, before the pipeline. */
export type ConsoleGuard = (
  respond: Responder,
  operation: Operation | ConsoleOperation,
) => Responder;

/** Counts of sign-ins. */
export interface SignInCounts {
  ok: number;
  refused: number;
}

/** Logs that a request was refused, and why, in a word. */
export type ReportRefusal = (
  context: RequestContext,
  refusal: RefusedConsoleRequest['refusal'],
  reason: string,
) => void;

export function createConsoleGuard(options: {
  readonly environment: Environment;
  readonly publicUrls: PublicUrls;
  readonly signIns: SignInCounts;
  readonly reportRefusal: ReportRefusal;
}): ConsoleGuard {
  const { environment, publicUrls, signIns, reportRefusal } = options;

  /** Counts sign-ins, and reports each that was refused, also for its address or body. */
  async function answerSignIn(respond: Responder, context: RequestContext) {
    const refused = refuseOtherAddress(context, publicUrls[environment]);
    const result = refused ?? (await respond(context));
    if (!isFailure(result)) {
      signIns.ok += 1;
      return result;
    }
    signIns.refused += 1;
    const unknown = result === invalidApiKey ? 'unknown_key' : 'unknown_link';
    reportRefusal(context, 'sign-in', result.code === 'invalid_api_key' ? unknown : result.code);
    return result;
  }

  return (respond, operation) => (context) => {
    const refused = refuseOtherSite(context, reportRefusal);
    if (refused !== undefined) return refused;
    const { request, baseUrl, target } = context;
    if (operation.audience === 'clients') {
      context.baseUrl = `${consoleUrlOf(baseUrl)}${basePath}`;
      // The next user of this browser can be another person. Answers of other kinds are not stored anyway.
      if (operation.kind === 'read') context.headers['cache-control'] = 'no-store';
    }
    const answered = operation === signIn ? answerSignIn(respond, context) : respond(context);
    return andThen(answered, (result) => {
      if (result !== notSignedIn) return result;
      // A cookie of this name that opens nothing may hide that of the session.
      const tokens = readSessionCookies(request.headers, baseUrl, environment);
      if (tokens.length > 0) {
        context.setCookies = formatRemovals(baseUrl, environment, target.path);
      }
      return result;
    });
  };
}

/** Rejects requests of other sites by Fetch Metadata (docs/decisions/console.md, https://www.w3.org/TR/fetch-metadata/). */
function refuseOtherSite(
  context: RequestContext,
  reportRefusal: ReportRefusal,
): Failure | undefined {
  const fault = unprotectedFault(context.baseUrl);
  const refused = fault === undefined ? refuseForeign(context) : fail('forbidden_origin', fault);
  if (refused !== undefined) {
    reportRefusal(context, 'origin', fault === undefined ? 'other_site' : 'needs_https');
  }
  return refused;
}

/**
 * Why the console cannot be used at a base URL; undefined if it can. Over plain HTTP, other machines of the network could read the
 * session.
 */
export function unprotectedFault(baseUrl: string): string | undefined {
  const url = URL.parse(baseUrl);
  if (url?.protocol === 'https:' || (url !== null && isLoopback(url.hostname))) return undefined;
  const host = url?.host ?? 'HOST';
  return `The console needs HTTPS, except on this machine: start the server with --base-url https://${host}/v1 behind a proxy with TLS, and open https://${host}/console`;
}

function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * Browsers send `Sec-Fetch-Site` over TLS and to the same machine. Older browsers send `Origin` with requests that can change
 * data.
 */
function refuseForeign({ request, baseUrl }: RequestContext): Failure | undefined {
  const { method, headers } = request;
  const isSafe = method === 'GET' || method === 'HEAD';
  const site = headers.get('sec-fetch-site');
  if (site !== null) {
    // `none` means that a person typed the address.
    return site === 'same-origin' || (isSafe && site === 'none') ? undefined : foreign;
  }
  if (isSafe) return undefined;
  return headers.get('origin') === URL.parse(baseUrl)?.origin ? undefined : foreign;
}

const foreign = fail(
  'forbidden_origin',
  'The request must come from the page of the console, at the address that the server knows (--base-url)',
);

/**
 * Refuses a sign-in on a page that was not opened at the base URL: its browser would drop the cookie of the session. Browsers
 * send `Origin` with every `POST`; other clients keep what they are sent.
 */
function refuseOtherAddress(
  { request }: RequestContext,
  ownUrl: string | undefined,
): Failure | undefined {
  const opened = request.headers.get('origin');
  const isKnown = ownUrl !== undefined && opened !== null && opened !== 'null';
  if (!isKnown || opened === URL.parse(ownUrl)?.origin) return undefined;
  return fail(
    'forbidden_origin',
    `A page at ${echo(opened)} cannot keep a session. Open the console at ${consoleUrlOf(ownUrl)}`,
  );
}
