import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Failure } from '../failure.ts';
import { refuseUnlessMatched } from '../request/precondition.ts';
import type { RequestContext } from '../request-context.ts';
import { type Answer, acceptsCoding, compressedBytesMin, matchesTag } from './answer.ts';

type FileHeaders = Readonly<Record<string, string>>;
type Content = string | Uint8Array;

/** Serves a file that does not change while the server runs. The first request reads it. */
export function answerFile(headers: FileHeaders, read: () => Awaitable<Content>) {
  let prepared: Promise<ReturnType<typeof prepareFile>> | undefined;
  const prepare = async () => prepareFile(headers, await read());
  return async ({ request }: Pick<RequestContext, 'request'>): Promise<Answer | Failure> => {
    prepared ??= prepare().catch((error) => {
      // The next request tries again.
      prepared = undefined;
      throw error;
    });
    const choose = await prepared;
    return choose(request.headers);
  };
}

/** Returns the form for a request. Each form is made once, beside the event loop. */
export function prepareFile(
  headers: FileHeaders,
  content: Content,
): (request: Headers) => Promise<Answer | Failure> {
  const bytes = Buffer.from(content);
  const plain = makeForm(headers, bytes);
  const compressed: { [Coding in keyof typeof codings]?: Promise<Form> } = {};
  return async (request) => {
    const accepted = request.get('accept-encoding') ?? '';
    const coding =
      bytes.length < compressedBytesMin
        ? undefined
        : (['br', 'gzip'] as const).find((one) => acceptsCoding(accepted, one));
    if (coding !== undefined) {
      compressed[coding] ??= codings[coding](bytes).then(
        (body) => makeForm(headers, body, { 'content-encoding': coding }),
        (error) => {
          // The next request tries again.
          delete compressed[coding];
          throw error;
        },
      );
    }
    const form = (coding && compressed[coding]) ?? plain;
    const { etag, whole, notModified } = await form;
    const refused = refuseUnlessMatched(request, etag);
    if (refused !== undefined) return refused;
    const known = request.get('if-none-match');
    return known !== null && matchesTag(known, etag) ? notModified : whole;
  };
}

/** Levels that take longer than the usual ones: a file is compressed once. */
const codings = {
  br: (bytes: Uint8Array) =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }),
  gzip: (bytes: Uint8Array) => promisify(gzip)(bytes, { level: 9 }),
};

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
