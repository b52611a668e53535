import { type Failure, fail, isFailure } from '../failure.ts';
import type { Operation } from '../operation.ts';
import { basePath, consoleUrlOf, isLoopback } from '../public-urls.ts';
import type { RequestContext, Responder } from '../request-context.ts';
import type { ReportRefusal } from '../services.ts';
import type { ConsoleOperation } from './console-operation.ts';
import { notSignedIn } from './find-session.ts';
import { type CookieOwner, formatRemovals, readSessionCookies } from './session-cookie.ts';

/** Checks each request for an operation below the console, before the pipeline. */
type ConsoleGuard = (respond: Responder, operation: Operation | ConsoleOperation) => Responder;

export function createConsoleGuard(owner: CookieOwner, reportRefusal: ReportRefusal): ConsoleGuard {
  return (respond, operation) => async (context) => {
    const refused = refuseOtherSite(context, reportRefusal);
    if (refused !== undefined) return refused;
    const { request, baseUrl, target } = context;
    if (operation.kind !== 'console') {
      context.baseUrl = `${consoleUrlOf(baseUrl)}${basePath}`;
      // The next user of this browser can be another person. Answers of other kinds are not stored anyway.
      if (operation.kind === 'read') context.headers['cache-control'] = 'no-store';
    }
    const result = await respond(context);
    if (!isFailure(result) || result.code !== notSignedIn.code) return result;
    // A cookie of this name that opens nothing may hide that of the session.
    const tokens = readSessionCookies(request.headers, baseUrl, owner);
    if (tokens.length > 0) context.setCookies = formatRemovals(baseUrl, owner, target.path);
    return result;
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
