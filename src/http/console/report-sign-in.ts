import { echo } from '../../domain/echo.ts';
import { invalidApiKey } from '../access/authenticate.ts';
import { type Failure, fail, isFailure } from '../failure.ts';
import { consoleUrlOf } from '../public-urls.ts';
import type { RequestContext, Responder } from '../request-context.ts';
import type { ReportRefusal, SignInCounts } from '../services.ts';

/** Counts sign-ins, and reports each that was refused, also for its address or body. */
export function reportSignIns(
  respond: Responder,
  signIns: SignInCounts,
  reportRefusal: ReportRefusal,
  /** The public address of this environment, if it is known. */
  publicUrl: string | undefined,
): Responder {
  return async (context) => {
    const result = refuseOtherAddress(context, publicUrl) ?? (await respond(context));
    if (!isFailure(result)) {
      signIns.ok += 1;
      return result;
    }
    signIns.refused += 1;
    const unknown = result === invalidApiKey ? 'unknown_key' : 'unknown_link';
    reportRefusal(context, 'sign-in', result.code === 'invalid_api_key' ? unknown : result.code);
    return result;
  };
}

/**
 * Refuses a sign-in on a page that was not opened at the base URL: its browser would drop the cookie of the session. Browsers
 * send `Origin` with every `POST`; other clients keep what they are sent.
 */
function refuseOtherAddress(
  { request }: RequestContext,
  publicUrl: string | undefined,
): Failure | undefined {
  const opened = request.headers.get('origin');
  const isKnown = publicUrl !== undefined && opened !== null && opened !== 'null';
  if (!isKnown || opened === URL.parse(publicUrl)?.origin) return undefined;
  return fail(
    'forbidden_origin',
    `A page at ${echo(opened)} cannot keep a session. Open the console at ${consoleUrlOf(publicUrl)}`,
  );
}
