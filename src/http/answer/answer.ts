import type { Operation, OperationSuccess } from '../operation.ts';

/** What a request is answered with, before the headers that every answer carries. Header names are lower case. */
export interface Answer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Text that comes bit by bit is sent as it comes, at the pace at which it is read. */
  readonly body: string | Uint8Array | AsyncIterable<string> | null;
  /** The very same object will be sent many times, so it pays to prepare it. */
  readonly reused?: boolean;
}

/** The answer of an operation that succeeded. */
export function successAnswer(
  { successes: [first] }: Operation,
  { httpStatus = first.httpStatus, headers, body }: OperationSuccess,
  cacheControl: string,
): Answer & { readonly body: string | null } {
  const always = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    'cache-control': cacheControl,
  };
  return { httpStatus, headers: { ...always, ...headers }, body: body ?? null };
}
