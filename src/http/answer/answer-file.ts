import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Responder } from '../request-context.ts';
import type { Answer } from './answer.ts';
import { acceptsGzip, gzipBytesMin, matchesTag } from './representation.ts';

type FileHeaders = Readonly<Record<string, string>>;
type Content = string | Uint8Array;

/** Serves a file that does not change while the server runs. The first request reads it. */
export function answerFile(headers: FileHeaders, read: () => Awaitable<Content>): Responder {
  let choose: ReturnType<typeof prepareFile> | undefined;
  return async ({ request }) => {
    choose ??= prepareFile(headers, await read());
    return choose(request.headers);
  };
}

/** Returns the form for a request. Each form is made once. */
export function prepareFile(headers: FileHeaders, content: Content): (request: Headers) => Answer {
  const bytes = Buffer.from(content);
  const plain = makeForm(headers, bytes);
  let gzipped: Form | undefined;
  return (request) => {
    const isGzip =
      bytes.length >= gzipBytesMin && acceptsGzip(request.get('accept-encoding') ?? '');
    // This takes longer than the usual level, but runs once.
    if (isGzip) gzipped ??= makeForm(headers, Bun.gzipSync(bytes, { level: 9 }), gzipCoding);
    const { etag, whole, notModified } = (isGzip && gzipped) || plain;
    const known = request.get('if-none-match');
    return known !== null && matchesTag(known, etag) ? notModified : whole;
  };
}

const gzipCoding = { 'content-encoding': 'gzip' };

interface Form {
  readonly etag: string;
  readonly whole: Answer;
  readonly notModified: Answer;
}

/** Each form has a strong tag of its own, because their bytes differ (RFC 9110, section 8.8.3). */
function makeForm(
  { 'content-type': mediaType = '', ...headers }: FileHeaders,
  body: Uint8Array,
  coding: FileHeaders = {},
): Form {
  const etag = `"${Bun.SHA256.hash(body as Uint8Array<ArrayBuffer>, 'hex').slice(0, 32)}"`;
  const always = { 'cache-control': 'no-cache', vary: 'Accept-Encoding', ...headers, etag };
  const described = { 'content-type': mediaType, ...always, ...coding };
  return {
    etag,
    whole: { httpStatus: 200, headers: described, body, reused: true },
    notModified: { httpStatus: 304, headers: always, body: null, reused: true },
  };
}
