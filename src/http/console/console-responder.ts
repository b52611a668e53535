import { background } from '../../context/context.ts';
import { formatExactJson } from '../../domain/values/exact-json.ts';
import type { Answer } from '../answer/answer.ts';
import { type Failure, isFailure } from '../failure.ts';
import { answerInput } from '../pipeline.ts';
import type { SentInput } from '../request/read-input.ts';
import {
  beginCall,
  clientAddress,
  type RequestContext,
  type Responder,
} from '../request-context.ts';
import type { ConsoleOperation, ConsoleServices } from './console-operation.ts';
import { notSignedIn, ownersOnly, type ValidSession } from './find-session.ts';
import { formatRemovals, formatSessionCookie, readSessionCookies } from './session-cookie.ts';

/**
 * Answers the requests for an operation that only the console calls. Only those that read many rows count with the rate limit of
 * the caller. Signing out and ending sessions always works, also when another user of a key has reached its limit.
 */
export function consoleResponder(
  operation: ConsoleOperation,
  services: ConsoleServices,
): Responder {
  const { access, isLimited } = operation;
  const { sessions, limitRate, reportRepeated } = services;

  async function run(context: RequestContext, session?: ValidSession): Promise<Answer | Failure> {
    let valid = session;
    return await answerInput(context, services, operation, {
      // A person who revokes a key or signs out, and closes the page at once, wants that done.
      begin: () => beginCall(context, reportRepeated, undefined, background.signal),
      async recheck() {
        if (session === undefined) return undefined;
        valid = await sessions.ofRequest(context);
        return valid === undefined ? notSignedIn : undefined;
      },
      answer: (sent) => answerConsole(context, services, operation, { ...sent, session: valid }),
    });
  }

  return async (context) => {
    if (access === 'none') return await run(context);
    const session = await sessions.ofRequest(context);
    if (session === undefined) return notSignedIn; // 401
    const { caller, kind } = session;
    context.caller = caller;
    if (access === 'owner' && kind !== 'owner') return ownersOnly; // 403
    const refusal = isLimited ? limitRate({ caller, headers: context.headers }) : undefined; // 429
    return refusal ?? (await run(context, session));
  };
}

async function answerConsole(
  context: RequestContext,
  services: ConsoleServices,
  { access, handle, success: { httpStatus } }: ConsoleOperation,
  input: SentInput & { readonly session: ValidSession | undefined },
): Promise<Answer | Failure> {
  const { request, target, transport, baseUrl, now } = context;
  const tokens = readSessionCookies(request.headers, baseUrl, services);
  const address = clientAddress(request, transport, services.trustedProxies);
  const result = await handle(context.call, { ...input, tokens, address, now }, services);
  if (isFailure(result)) return result;
  const { value, caller, cookie } = result;
  if (access === 'none') context.caller = caller;
  if (cookie !== undefined) {
    const { token, seconds } = cookie;
    const hasOthers = tokens.length > 0 || token === '';
    context.setCookies = [
      formatSessionCookie(baseUrl, services, token, seconds),
      ...(hasOthers ? formatRemovals(baseUrl, services, target.path) : []),
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
