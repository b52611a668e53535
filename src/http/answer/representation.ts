import { recordVersion } from '../../domain/database/precondition.ts';
import type { Operation, OperationSuccess } from '../operation.ts';
import type { Answer } from './answer.ts';

/** A smaller body is not worth the time of compression. */
export const compressedBytesMin = 1024;

/** A successful answer to a read, in the forms that a request can accept. */
export interface Representation {
  /** Length of the body. */
  readonly bytes: number;
  readonly recordCount: number;
  readonly etag: string | undefined;
  /** Returns the form for a request: whole, compressed, or 304 if the client has it. */
  choose(headers: Headers, baseUrl: string): Answer;
}

interface RepresentationOptions {
  /** The path of the next page, below the public address. */
  readonly next?: string | undefined;
  /** The forms will be sent many times. */
  readonly reused?: boolean;
  /**
   * The kind of its `ETag`. Without one, the body is always sent. The tag of a record is strong, so that `If-Match` can name it,
   * and a record is never compressed. Other tags are weak, because they are the same for every content coding (RFC 9110, section
   * 8.8.3).
   */
  readonly tag?: 'record' | 'weak' | undefined;
  readonly recordCount?: number;
}

/**
 * Makes each form once, so that a cached answer is compressed once. If the public address is not configured, another `Host` needs
 * other headers for the same body.
 */
export function represent(
  answer: Answer & { readonly body: string | null },
  { next, reused = false, tag, recordCount = 0 }: RepresentationOptions,
): Representation {
  const isRecord = tag === 'record';
  const text = answer.body ?? '';
  // A body that is sent once stays text, because converting it to bytes takes longer.
  const body = reused ? Buffer.from(text) : text;
  const bytes = Buffer.byteLength(body);
  const etag = tag === undefined ? undefined : isRecord ? recordTag(text) : weakTag(text, next);
  let compressed: Uint8Array | undefined;
  let forms: Forms | undefined;

  function makeForms(baseUrl: string): Forms {
    const headers: Record<string, string> = { ...answer.headers, vary: 'Accept-Encoding' };
    if (etag !== undefined) headers.etag = etag;
    if (next !== undefined) headers.link = `<${baseUrl}${next}>; rel="next"`;
    return { baseUrl, whole: { ...answer, headers, body, reused } };
  }

  return {
    bytes,
    recordCount,
    etag,
    choose(headers, baseUrl) {
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
      if (isRecord || bytes < compressedBytesMin) return whole;
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

/** The strong `ETag` of a record, given its JSON (RFC 9110, section 8.8.3). */
export function recordTag(json: string): string {
  return `"${recordVersion(json, (text) => Bun.SHA256.hash(text, 'hex'))}"`;
}

/** The link is part of the representation: a page may stay the same and gain a next page. */
function weakTag(text: string, next = ''): string {
  return `W/"${Bun.hash.xxHash64(next, Bun.hash.xxHash64(text)).toString(36)}"`;
}

interface Forms {
  readonly baseUrl: string;
  readonly whole: Answer;
  notModified?: Answer;
  gzipped?: Answer;
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

/** The answer of an operation that succeeded. */
interface SuccessAnswer extends Answer {
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

/** How many records of a workspace an answer has. */
export function countRecords({ body, recordCount }: OperationSuccess): number {
  if (recordCount !== undefined || body === undefined) return recordCount ?? 0;
  if (typeof body === 'string') throw new Error('A body of text needs its number of records');
  return Array.isArray(body) ? body.length : 1;
}

export function successAnswer(
  { successes: [first] }: Operation,
  { httpStatus = first.httpStatus, headers: more, body }: OperationSuccess,
  cacheControl: string,
): SuccessAnswer {
  const headers = { 'cache-control': cacheControl, ...more };
  if (body === undefined) return { httpStatus, headers, body: null };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { httpStatus, headers: { 'content-type': 'application/json', ...headers }, body: text };
}
