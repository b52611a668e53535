/** What ends a call. It is the first parameter of every read and of every write. */
export interface Context {
  /** Aborted when the result is of no use any more, because a client left or a server stops. */
  readonly signal: AbortSignal;
  /** No statement begins after this moment, in milliseconds of a clock that is never set. */
  readonly deadline: number;
  /** Logs a failure after which the call is repeated. The line names what the call is made for. */
  readonly report: (error: unknown) => void;
}

/** A call ended before its next statement, because it took too long or its result is of no use any more. It changed nothing. */
export class CallEnded extends Error {
  override readonly name = 'CallEnded';
}
