import type { Answer } from './answer.ts';

/** Below this compression saves nothing worth a visitor's time. */
const gzipBytesMin = 1024;

/**
 * A successful answer to a read, in the forms in which it can be asked for: whole, compressed, or not at all
 * because the client has it. Each form is made once, so that an answer which is kept is compressed once.
 */
export interface Representation {
  /** Weak, because it is the same for every content coding (RFC 9110, section 8.8.3). */
  readonly etag: string;
  readonly whole: Answer;
  readonly notModified: Answer;
  gzipped: Answer | undefined;
}

/** `reused` tells that the very same forms will be sent many times. */
export function represent(answer: Answer, reused: boolean): Representation {
  const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;
  // The link is part of what is represented: a page may stay the same and gain a successor.
  const hash = Bun.hash.xxHash64(answer.headers.link ?? '', Bun.hash.xxHash64(body ?? ''));
  const etag = `W/"${hash.toString(36)}"`;
  const headers: Record<string, string> = { ...answer.headers, etag, vary: 'Accept-Encoding' };
  const { 'content-type': _, ...metadata } = headers;
  return {
    etag,
    whole: { ...answer, headers, body, reused },
    notModified: { httpStatus: 304, headers: metadata, body: null, reused },
    gzipped: undefined,
  };
}

/** Picks the form that a request asks for. */
export function choose(representation: Representation, headers: Headers): Answer {
  const known = headers.get('if-none-match');
  if (known !== null && matches(known, representation.etag)) return representation.notModified;
  const { whole } = representation;
  if (!(whole.body instanceof Uint8Array) || whole.body.length < gzipBytesMin) return whole;
  const accepted = headers.get('accept-encoding');
  if (accepted === null || !acceptsGzip(accepted)) return whole;
  representation.gzipped ??= {
    ...whole,
    headers: { ...whole.headers, 'content-encoding': 'gzip' },
    body: Bun.gzipSync(whole.body as Uint8Array<ArrayBuffer>),
  };
  return representation.gzipped;
}

/** Weak comparison with a list of tags or `*` (RFC 9110, section 13.1.2). */
function matches(header: string, etag: string): boolean {
  if (header === etag || header === '*') return true;
  const opaque = etag.slice(2);
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === opaque);
}

/** Whether gzip is named, or anything is welcome, with a weight that is not zero (RFC 9110, section 12.5.3). */
function acceptsGzip(header: string): boolean {
  let anything = false;
  for (const item of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = item.split(';').map((part) => part.trim());
    const refused = parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return !refused;
    if (coding === '*') anything = !refused;
  }
  return anything;
}
