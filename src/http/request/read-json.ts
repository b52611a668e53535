import { MIMEType } from 'node:util';
import { after } from '../../context/deadline.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import { parseExactJson } from '../../domain/values/exact-json.ts';
import { type Failure, fail, isFailure } from '../failure.ts';
import { findJsonFault } from './json-fault.ts';

/** Enough for the largest body over 52 kbit/s. */
export const bodySecondsMax = 10;

export interface BodyLimits {
  readonly bytesMax: number;
  /** A value costs up to a microsecond, so that many small ones would be the most expensive body. */
  readonly valuesMax: number;
}

const defaultLimits: BodyLimits = { bytesMax: 65536, valuesMax: 1000 };
const bodyDepthMax = 32;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A JSON text as the values that `parseExactJson` makes of it. */
export interface JsonText {
  readonly value: unknown;
  /** As it was sent. */
  readonly bytes: Uint8Array;
}

/** Reads the body of a request as JSON, or fails with 415, 413 or 400, in this order. */
export type ReadJson = (
  request: Request,
  limits?: Partial<BodyLimits>,
) => Awaitable<JsonText | Failure>;

export function createReadJson(secondsMax: number): ReadJson {
  // After this, the connection is closed, because the rest of the body would be useless.
  const message = `The body was incomplete after ${secondsMax} s`;
  const inTime = createTimeLimit(
    secondsMax * 1000,
    fail('invalid_json', message, { connection: 'close' }),
  );
  return (request, limits) => {
    const { bytesMax, valuesMax } = { ...defaultLimits, ...limits };
    // Without a body, no type can be wrong.
    const refused = hasBody(request) ? checkMediaType(request) : emptyBody;
    if (refused !== undefined) return refused;
    return new Promise((resolve, reject) => {
      const end = inTime(resolve);
      readBytes(request, bytesMax)
        .then(
          (bytes) => end(isFailure(bytes) ? bytes : parseJson(bytes, { valuesMax })),
          () => end(interrupted),
        )
        .catch(reject);
    });
  };
}

type End = (result: JsonText | Failure) => void;

/**
 * Ends what takes too long, with a failure. All bodies share one timer, because starting and stopping one for each costs more than
 * reading a small body.
 */
function createTimeLimit(milliseconds: number, late: Failure): (end: End) => End {
  /** The deadline of each. All have the same time, so the order of arrival is that of the deadlines. */
  const deadlines = new Map<End, number>();
  let isTimed = false;

  /** Ends the late ones. The timer then waits for the first of the others, and stops if there is none. */
  function endLate(): void {
    isTimed = false;
    const now = performance.now();
    for (const [end, deadline] of deadlines) {
      if (deadline > now) {
        startTimer(deadline - now);
        return;
      }
      deadlines.delete(end);
      end(late);
    }
  }

  function startTimer(wait: number): void {
    isTimed = true;
    after(wait, endLate);
  }

  return (end) => {
    deadlines.set(end, performance.now() + milliseconds);
    if (!isTimed) startTimer(milliseconds);
    return (result) => {
      deadlines.delete(end);
      end(result);
    };
  };
}

/** The client closed the connection, so it will not read this. */
const interrupted = fail('invalid_json', 'The body ended before it was complete');

function readBytes(request: Request, bytesMax: number): Promise<Uint8Array | Failure> {
  const declared = request.headers.get('content-length');
  if (declared === null) return readChunks(request, bytesMax);
  return Number(declared) > bytesMax ? Promise.resolve(tooLarge(bytesMax)) : request.bytes();
}

/** Without a declared length, the bytes are counted as they arrive, and the rest is not read. */
async function readChunks(request: Request, bytesMax: number): Promise<Uint8Array | Failure> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) return tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function tooLarge(bytesMax: number): Failure {
  return fail('content_too_large', `The body must be at most ${bytesMax} bytes`);
}

/** Decides by the headers if possible (RFC 9112, section 6.3), because reading `request.body` turns the body into a stream. */
function hasBody(request: Request): boolean {
  const length = request.headers.get('content-length');
  return length === null ? request.body !== null : length !== '0';
}

const emptyBody = fail('invalid_json', 'The body is empty; it must be a JSON object');

/** The accepted types of a body. Every PATCH is a merge patch (RFC 7396), also as `application/json`. */
export function mediaTypesOf(method: string): readonly string[] {
  return method === 'PATCH' ? patchMediaTypes : jsonMediaTypes;
}

const jsonMediaTypes = ['application/json'];
const patchMediaTypes = ['application/merge-patch+json', ...jsonMediaTypes];

function checkMediaType({ method, headers }: Request): Failure | undefined {
  const encoding = headers.get('content-encoding');
  // An empty list names no coding (RFC 9110, section 5.6.1).
  if (encoding !== null && !/^(?:identity)?$/i.test(encoding)) {
    return fail('unsupported_media_type', 'The body must be sent without a Content-Encoding', {
      'accept-encoding': 'identity',
    });
  }
  const accepted = mediaTypesOf(method);
  if (isInUtf8(headers.get('content-type') ?? '', accepted)) return undefined;
  return fail(
    'unsupported_media_type',
    `The body must be sent as Content-Type: ${accepted.join(' or ')}, in UTF-8`,
    { accept: accepted.join(', '), ...(method === 'PATCH' ? acceptPatch : {}) },
  );
}

/** The accepted types of a PATCH (RFC 5789, section 3.1). */
export const acceptPatch = { 'accept-patch': patchMediaTypes.join(', ') } as const;

function isInUtf8(text: string, accepted: readonly string[]): boolean {
  if (text === 'application/json') return true;
  try {
    const mediaType = new MIMEType(text);
    const charset = mediaType.params.get('charset') ?? 'utf-8';
    // `utf8` is no registered name (RFC 3629), and many programs send it.
    return accepted.includes(mediaType.essence) && /^utf-?8$/i.test(charset);
  } catch {
    return false;
  }
}

/** Parses one JSON text. Rejects duplicate members, deep nesting and many values, which `JSON.parse` accepts. */
export function parseJson(
  bytes: Uint8Array,
  { valuesMax }: Pick<BodyLimits, 'valuesMax'> = defaultLimits,
): JsonText | Failure {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return fail('invalid_json', 'The body is not UTF-8');
  }
  if (text.trim() === '') return emptyBody;
  if (text.startsWith('\ufeff')) {
    return fail('invalid_json', 'The body must not start with a byte order mark');
  }
  const { depth, colonCount, valueCountMax } = measure(text);
  if (depth > bodyDepthMax) {
    return fail('invalid_json', `The body must not be nested deeper than ${bodyDepthMax} levels`);
  }
  if (valueCountMax > valuesMax) {
    return fail('invalid_json', `The body must not have more than ${valuesMax} values`);
  }

  let memberCount = 0;
  try {
    const value = parseExactJson(text, (holder) => {
      if (!Array.isArray(holder)) memberCount += 1;
    });
    // The text has a colon for each member. The parser reports each member that it keeps, and the whole value. If these
    // counts differ, a member was written twice.
    if (memberCount - 1 !== colonCount) {
      return fail('invalid_json', 'The body has an object with a duplicate member');
    }
    return { value, bytes };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const fault = findJsonFault(text) ?? 'unexpected text';
    return fail('invalid_json', `The body is not valid JSON: ${fault}`);
  }
}

/** The depth of brackets and the number of colons outside strings, and how many values the text can have at most. */
function measure(text: string): { depth: number; colonCount: number; valueCountMax: number } {
  let depth = 0;
  let valueCountMax = 1;
  let open = 0;
  let colonCount = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') {
      inString = true;
    } else if (character === ':') {
      colonCount += 1;
    } else if (character === ',') {
      valueCountMax += 1;
    } else if (character === '{' || character === '[') {
      open += 1;
      valueCountMax += 1;
      if (open > depth) depth = open;
    } else if (character === '}' || character === ']') {
      open -= 1;
    }
  }
  return { depth, colonCount, valueCountMax };
}
