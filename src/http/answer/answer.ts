import { recordVersion } from '../../domain/precondition.ts';
import type { Failure } from '../failure.ts';
import type { Operation, OperationSuccess } from '../operation.ts';
import { refuseUnlessMatched } from '../request/precondition.ts';

/** The answer to a request, without the headers that all responses have. Header names are lower case. */
export interface Answer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;
  /** An async iterable is streamed: each text is sent when the client has read the one before it. */
  readonly body: string | Uint8Array | AsyncIterable<string> | null;
  /** This object will be sent many times, so its response is prepared once. */
  readonly reused?: boolean;
}

/** A successful answer to a read, in the forms that a request can accept. */
export interface Representation {
  /** Length of the body. */
  readonly bytes: number;
  readonly recordCount: number;
  /** Returns the form for a request: whole, compressed, 304 if the client has it, or 412 if it wants another one. */
  choose(headers: Headers, baseUrl: string): Answer | Failure;
}

/** A smaller body is not worth the time of compression. */
export const compressedBytesMin = 1024;

/**
 * Makes each form once, so that a cached answer is compressed once. If the public address is not configured, another `Host` needs
 * other headers for the same body. `tag` is the kind of its `ETag`. Without one, the body is always sent. The tag of a record is
 * strong, so that `If-Match` can name it, and a record is never compressed. Other tags are weak, because they are the same for
 * every content coding (RFC 9110, section 8.8.3). `reused` if it will be sent many times.
 */
export function represent(
  operation: Operation,
  success: OperationSuccess,
  tag?: 'record' | 'weak',
  reused = false,
): Representation {
  const { next } = success;
  const text = textOf(success) ?? '';
  // A body that is sent once stays text, because converting it to bytes takes longer.
  const body = reused ? Buffer.from(text) : text;
  const bytes = Buffer.byteLength(body);
  const etag = tag === 'record' ? recordTag(text) : tag && weakTag(text, next);
  let compressed: Uint8Array | undefined;
  let forms: { baseUrl: string; whole: Answer; gzipped?: Answer; notModified?: Answer } | undefined;

  function makeForms(baseUrl: string) {
    const cacheControl = tag === undefined ? 'no-store' : 'private, no-cache';
    const headers = headersOf(success, cacheControl);
    headers.vary = 'Accept-Encoding';
    if (etag !== undefined) headers.etag = etag;
    if (next !== undefined) headers.link = `<${baseUrl}${next}>; rel="next"`;
    return { baseUrl, whole: { httpStatus: statusOf(operation, success), headers, body, reused } };
  }

  return {
    bytes,
    recordCount: countRecords(success),
    choose(headers, baseUrl) {
      const refused = headers.has('if-match') && refuseUnlessMatched(headers, etag, operation);
      if (refused) return refused;
      if (forms === undefined || (next !== undefined && forms.baseUrl !== baseUrl)) {
        forms = makeForms(baseUrl);
      }
      const { whole } = forms;
      const known = etag === undefined ? null : headers.get('if-none-match');
      if (known !== null && etag !== undefined && matchesTag(known, etag)) {
        if (forms.notModified === undefined) {
          const { 'content-type': _, ...others } = whole.headers;
          forms.notModified = { httpStatus: 304, headers: others, body: null, reused };
        }
        return forms.notModified;
      }
      if (tag === 'record' || bytes < compressedBytesMin) return whole;
      const accepted = headers.get('accept-encoding');
      if (accepted === null || !acceptsCoding(accepted, 'gzip')) return whole;
      compressed ??= Bun.gzipSync(body);
      forms.gzipped ??= {
        ...whole,
        headers: { ...whole.headers, 'content-encoding': 'gzip' },
        body: compressed,
      };
      return forms.gzipped;
    },
  };
}

export function statusOf({ successes: [first] }: Operation, success: OperationSuccess): number {
  return success.httpStatus ?? first.httpStatus;
}

/** The headers of the answer of an operation, to which more can be added. */
export function headersOf(
  { headers: own, body }: OperationSuccess,
  cacheControl: string,
): Record<string, string> {
  const headers: Record<string, string> = { 'cache-control': cacheControl, ...own };
  if (body !== undefined) headers['content-type'] = 'application/json';
  return headers;
}

/** The body as JSON. */
export function textOf({ body }: OperationSuccess): string | undefined {
  return typeof body === 'object' ? JSON.stringify(body) : body;
}

/** How many records of a workspace an answer has. */
export function countRecords({ body, recordCount }: OperationSuccess): number {
  if (recordCount !== undefined || body === undefined) return recordCount ?? 0;
  if (typeof body === 'string') throw new Error('A body of text needs its number of records');
  return Array.isArray(body) ? body.length : 1;
}

/** The strong `ETag` of a record, given its JSON (RFC 9110, section 8.8.3). */
export function recordTag(json: string): string {
  return `"${recordVersion(json, (text) => Bun.SHA256.hash(text, 'hex'))}"`;
}

/** The link is part of the representation: a page may stay the same and gain a next page. */
function weakTag(text: string, next = ''): string {
  return `W/"${Bun.hash.xxHash64(next, Bun.hash.xxHash64(text)).toString(36)}"`;
}

/** Weak comparison with a list of tags or `*` (RFC 9110, section 13.1.2). */
export function matchesTag(header: string, etag: string): boolean {
  if (header === etag || header === '*') return true;
  const opaque = etag.replace(/^W\//, '');
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === opaque);
}

/** Whether a coding is accepted with a weight above zero (RFC 9110, section 12.5.3). `*` means gzip, which all clients know. */
export function acceptsCoding(header: string, wanted: 'br' | 'gzip'): boolean {
  let anything = false;
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    const refused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    if (coding === wanted || coding === `x-${wanted}`) return !refused;
    if (coding === '*') anything = !refused && wanted === 'gzip';
  }
  return anything;
}
