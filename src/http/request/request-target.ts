/** What a request is about, before anything is made of it. */
export interface RequestTarget {
  /** Scheme and authority; empty where the request named no host, as HTTP/1.0 allows. */
  readonly origin: string;
  readonly path: string;
  /** What stands after the `?`. */
  readonly search: string;
  readonly hostIsValid: boolean;
}

/**
 * Takes the URL apart by hand: with a malformed `Host` the server gives only a path, on which `new URL`
 * would throw.
 */
export function readRequestTarget({ url, headers }: Request): RequestTarget {
  const schemeEnd = url.indexOf('://');
  const pathStart = schemeEnd === -1 || url.startsWith('/') ? 0 : url.indexOf('/', schemeEnd + 3);
  const hash = url.indexOf('#', pathStart);
  const end = hash === -1 ? url.length : hash;
  const mark = url.indexOf('?', pathStart);
  const pathEnd = mark === -1 || mark > end ? end : mark;
  return {
    origin: url.slice(0, pathStart),
    path: url.slice(pathStart, pathEnd),
    search: url.slice(pathEnd + 1, end),
    hostIsValid: isHost(headers.get('host')),
  };
}

const host = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~-]+)(?::([0-9]{0,5}))?$/;

/** Two `Host` headers arrive joined by a comma, which the form refuses (RFC 9112, section 3.2). */
function isHost(text: string | null): boolean {
  if (text === null) return true;
  const match = host.exec(text);
  return match !== null && Number(match[1] ?? 0) <= 65535;
}
