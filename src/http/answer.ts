/** What a request is answered with, before the headers that every answer carries. Header names are lower case. */
export interface Answer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  /** The very same object will be sent many times, so it pays to prepare it. */
  readonly reused?: boolean;
}
