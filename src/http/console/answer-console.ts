import { formatExactJson } from '../../domain/values/exact-json.ts';
import type { Answer } from '../answer/answer.ts';
import { type Failure, isFailure } from '../failure.ts';
import type { SentInput } from '../request/read-input.ts';
import { clientAddress } from '../request/request-head.ts';
import type { RequestContext } from '../request-context.ts';
import type { ConsoleOperation, ConsoleServices } from './console-operation.ts';
import { formatRemovals, formatSessionCookie, readSessionCookies } from './session-cookie.ts';
import { notSignedIn } from './sessions.ts';

/** Answers an operation of the console. */
export async function answerConsole(
  context: RequestContext,
  services: ConsoleServices,
  { access, handle, success: { httpStatus } }: ConsoleOperation,
  sent: SentInput,
): Promise<Answer | Failure> {
  const { request, target, transport, baseUrl, now } = context;
  const { sessions, environment, trustedProxies } = services;
  // It must still hold when the body has arrived.
  const session = access === 'none' ? undefined : await sessions.ofRequest(request);
  if (access !== 'none' && session === undefined) return notSignedIn;
  const tokens = readSessionCookies(request.headers, baseUrl, environment);
  const address = clientAddress(request, transport, trustedProxies);
  const result = await handle({ ...sent, session, tokens, address, now }, services);
  if (isFailure(result)) return result;
  const { value, caller, cookie } = result;
  if (access === 'none') context.caller = caller;
  if (cookie !== undefined) {
    const { token, seconds } = cookie;
    const hasOthers = tokens.length > 0 || token === '';
    context.setCookies = [
      formatSessionCookie(baseUrl, environment, token, seconds),
      ...(hasOthers ? formatRemovals(baseUrl, environment, target.path) : []),
    ];
  }
  return value === undefined
    ? { httpStatus, headers: {}, body: null }
    : {
        httpStatus,
        headers: { 'content-type': 'application/json' },
        body: formatExactJson(value),
      };
}
