/** An error of the parser of responses. Both members are undefined for other errors. */
export interface ResponseFault extends NodeJS.ErrnoException {
  /** The rule that the response breaks. */
  readonly reason?: string;
  /** The bytes that the parser got last. */
  readonly rawPacket?: Uint8Array;
}

export interface ResponseHead {
  readonly httpStatus: number;
  readonly retryAfter: string | undefined;
}

/**
 * The head of a response that has several equal `Content-Length`s, which the parser refuses and a client may accept (RFC 9110, section
 * 8.6). Its connection is not used again.
 */
export function readEqualLengths({
  code = '',
  rawPacket,
}: ResponseFault): ResponseHead | undefined {
  if (!/^HPE_(?:UNEXPECTED|INVALID)_CONTENT_LENGTH$/.test(code) || rawPacket === undefined) {
    return undefined;
  }
  const [head = ''] = Buffer.from(rawPacket)
    .toString('latin1')
    .split(/\r?\n\r?\n/, 1);
  const status = /^HTTP\/1\.[01] ([2-9][0-9]{2})\b/.exec(head)?.[1];
  const lengths = valuesOf(head, 'content-length').flatMap((value) => value.split(/[ \t]*,[ \t]*/));
  const areEqual = new Set(lengths).size === 1 && /^[0-9]+$/.test(lengths[0] ?? '');
  if (status === undefined || !areEqual) return undefined;
  return { httpStatus: Number(status), retryAfter: valuesOf(head, 'retry-after')[0] };
}

function valuesOf(head: string, name: string): string[] {
  return head
    .split(/\r?\n/)
    .filter((line) => line.toLowerCase().startsWith(`${name}:`))
    .map((line) => line.slice(name.length + 1).trim());
}
