/**
 * Bytes that a hostile, broken or old client may send, in the order of the sections of RFC 9112 (RFC 9110 for the syntax
 * of fields). Each character is one byte.
 */
export interface HttpCase {
  readonly name: string;
  /** `CASE` is replaced by the number of the case in four digits, and `apiKeyPlace` by a valid key. */
  readonly text: string;
  /** The most requests that a lenient parser may find in the text. */
  readonly requestsMax: number;
  /** The HTTP statuses of the answers, in order. Empty if the connection ends without an answer. */
  readonly statuses: readonly number[];
}

/** It has the length of a key, so that `Content-Length` stays right after the replacement. */
export const apiKeyPlace = 'K'.repeat(48);

const target = '/v1/pets?case=CASE';
const standard = ['Host: h', `Authorization: Bearer ${apiKeyPlace}`];
const rex = '{"name":"CASE","categoryId":1}';
const json = 'Content-Type: application/json';
const chunked = 'Transfer-Encoding: chunked';
const keepAlive = 'Connection: keep-alive';
const close = 'Connection: close';
const expect100 = 'Expect: 100-continue';

/** A complete request inside another one. It must never be dispatched. */
const next = line(`GET ${target}&smuggled HTTP/1.1`);

/** A request with this first line. */
function line(first: string, ...headers: readonly string[]): string {
  return `${[first, ...standard, ...headers].join('\r\n')}\r\n\r\n`;
}

/** `listPets` with more headers. */
function get(...headers: readonly string[]): string {
  return line(`GET ${target} HTTP/1.1`, ...headers);
}

/** `createPet` with more headers, which declare the length of the body. */
function post(headers: readonly string[], body: string): string {
  return line(`POST ${target} HTTP/1.1`, json, ...headers) + body;
}

/** `createPet` with a body of the declared length. */
function sized(body: string, ...headers: readonly string[]): string {
  return post([length(body), ...headers], body);
}

/** Replaces the key by credentials that the service does not accept. */
function withoutKey(text: string): string {
  return text.replace('Bearer', 'Basic');
}

/** `createPet` with a body of chunks, as they are sent. */
function chunks(body: string): string {
  return post([chunked], body);
}

function length(text: string): string {
  return `Content-Length: ${text.length}`;
}

function many(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `X-${index}: ${index}`);
}

const hexLength = rex.length.toString(16);
const chunk = `${hexLength}\r\n${rex}\r\n`;
const end = '0\r\n\r\n';
const bytewise = [...rex].map((byte) => `1;a=b\r\n${byte}\r\n`).join('');
const chunkedNext = `${next.length.toString(16)}\r\n${next}\r\n${end}`;

type Row = readonly [name: string, text: string, requestsMax: number, ...statuses: number[]];

const rows: Readonly<Record<string, readonly Row[]>> = {
  'the first line (section 3)': [
    ['plain', get(), 1, 200],
    ['after an empty line', `\r\n${get()}`, 1, 400],
    ['with LF alone at the end of all lines', get().replaceAll('\r\n', '\n'), 1, 505],
    ['with a method in lower case', get().replace('GET', 'get'), 1],
    ['with an unknown method', get().replace('GET', 'FOO'), 1],
    ['with a NUL in the method', get().replace('GET', 'G\0T'), 0, 505],
    ['with a method of 20 000 letters', get().replace('GET', 'A'.repeat(20_000)), 1, 431],
    ['of HTTP/0.9, and no more', `GET ${target}\r\n\r\n`, 0, 505],
    ['of HTTP/1.0', line(`GET ${target} HTTP/1.0`), 1, 200],
    ['without a target', line('GET HTTP/1.1'), 0, 400],
  ],
  'the target (section 3.2)': [
    ['with a space', get().replace('CASE', 'CASE x'), 0, 505],
    ['with a bare CR', get().replace('CASE', 'CASE\rX: y'), 0, 505],
    ['with a byte above ASCII', get().replace('CASE', 'CASE\xff'), 1, 200],
    ['with a fragment', get().replace('CASE', 'CASE#x?limit=0'), 1, 200],
    ['that is * for OPTIONS', line('OPTIONS * HTTP/1.1'), 1, 400],
    ['with the segment ..', line('GET /v1/x/../pets?case=CASE HTTP/1.1'), 1, 200],
    ['with an escaped segment ..', line('GET /v1/%2e%2e/v1/pets?case=CASE HTTP/1.1'), 1, 200],
    ['with an escaped slash', line('GET /v1%2fpets?case=CASE HTTP/1.1'), 1, 404],
    ['with two slashes first', line('GET //h/v1/pets?case=CASE HTTP/1.1'), 1, 404],
    ['in absolute form', line(`GET http://h${target} HTTP/1.1`), 1, 200],
    ['of a file', line('GET file:///etc/passwd?case=CASE HTTP/1.1'), 1, 400],
    ['of CONNECT, in authority form', line('CONNECT case-CASE:80 HTTP/1.1'), 1, 404],
    ['of 17 000 bytes', get().replace('CASE', `CASE&${'a'.repeat(17_000)}`), 1, 431],
  ],
  'Host (section 3.2)': [
    ['missing', `GET ${target} HTTP/1.1\r\nAuthorization: Bearer ${apiKeyPlace}\r\n\r\n`, 0, 400],
    ['twice', get('Host: other'), 1, 400],
    ['with a comma', get().replace('Host: h', 'Host: h,other'), 1, 400],
    ['with a scheme', get().replace('Host: h', 'Host: http://h'), 1, 400],
    ['with a dot at the end', get().replace('Host: h', 'Host: h.'), 1, 200],
    ['of 10 000 bytes', get().replace('Host: h', `Host: ${'h'.repeat(10_000)}`), 1, 200],
  ],
  'fields (section 5)': [
    ['a space before the colon', get('X : y'), 0, 400],
    ['no colon', get('X'), 0, 400],
    ['a name of every character that a token has', get("!#$%&'*+-.^_`|~09azAZ: y"), 1, 200],
    ['a field after a bare CR', get(`X: y\r${chunked}`), 0, 400],
    ['a field after a bare LF', get(`X: y\n${chunked}`), 1, 400],
    ['an end of CR LF CR, and then nothing', get().replace(/\n$/, ''), 0],
    ['198 fields', get(...many(196)), 1, 200],
    ['199 fields', get(...many(197)), 1, 431],
    ['a value of 17 000 bytes', get(`X: ${'y'.repeat(17_000)}`), 1, 431],
    ['Authorization twice', get(`Authorization: Bearer ${apiKeyPlace}`), 1, 401],
    ['Content-Type twice', sized(rex, json), 1, 415],
    ['X-Request-Id twice', get('X-Request-Id: a', 'X-Request-Id: b'), 1, 200],
    ['Idempotency-Key twice', sized(rex, 'Idempotency-Key: a', 'Idempotency-Key: b'), 1, 400],
    ['an unknown Expect', get('Expect: x'), 1, 200],
    ['an Upgrade', get('Connection: Upgrade', 'Upgrade: websocket'), 1, 200],
    ['a long Accept-Encoding', get(`Accept-Encoding: ${'gzip;q=0,'.repeat(1000)}`), 1, 200],
    ['X-HTTP-Method-Override', get('X-HTTP-Method-Override: DELETE'), 1, 200],
    ['X-Original-URL', get('X-Original-URL: /v1/nothing', 'X-Rewrite-URL: /v1/nothing'), 1, 200],
  ],
  'Content-Length (section 6.2)': [
    ['right', sized(rex), 1, 201],
    ['twice, around a hidden request', post(['Content-Length: 0', length(next)], next), 0, 400],
    ['of -0, before a hidden request', post(['Content-Length: -0'], next), 0, 400],
    ['of 2^32 + the right length', post([`Content-Length: ${2 ** 32 + rex.length}`], rex), 1, 413],
    ['one too short', post([`Content-Length: ${rex.length - 1}`], rex), 1, 400, 400],
    ['one too long, and then nothing', post([`Content-Length: ${rex.length + 1}`], rex), 1, 400],
    ['of zero, and a body', post(['Content-Length: 0'], rex), 1, 400, 400],
    ['missing, and a body', post([], rex), 1, 400, 400],
    ['of a GET', get(length(next)) + next, 1, 200],
    ['of a request without a key', withoutKey(sized(next)), 1, 401],
    ['of a request for an unknown path', sized(next).replace('/pets', '/nothing'), 1, 404],
    ['of an unknown method', get(length(next)).replace('GET', 'PUT') + next, 1, 405],
    ['of another media type', sized(next).replace('json', 'xml'), 1, 415],
    ['of 65537 bytes', post(['Content-Length: 65537'], next.padStart(65537)), 1, 413],
    ['of a body that is a request', sized(next), 1, 400],
  ],
  'Transfer-Encoding (section 6.1)': [
    ['chunked', chunks(chunk + end), 1, 201],
    ['before Content-Length', post([chunked, length(chunk + end)], chunk + end), 1, 400],
    ['and a length of 5', post(['Content-Length: 5', chunked], `${end}${next}`), 1, 400],
    ['and a length in HTTP/1.0', sized(end + next, chunked).replace('1.1', '1.0'), 1, 400],
    ['twice', post([chunked, chunked], chunk + end), 0, 400],
    ['gzip, chunked', post(['Transfer-Encoding: gzip, chunked'], chunk + end), 1, 400],
    ['before a comma', post(['Transfer-Encoding: chunked,'], chunk + end), 1, 201],
    ['with an underscore, and a length', sized(rex, 'Transfer_Encoding: chunked'), 1, 201],
    ['of a GET', get(chunked) + chunkedNext, 1, 200],
  ],
  'chunks (section 7.1)': [
    ['two', chunks(`9\r\n${rex.slice(0, 9)}\r\n15\r\n${rex.slice(9)}\r\n${end}`), 1, 201],
    ['with an extension in quotes', chunks(`${hexLength};a="b;c"\r\n${rex}\r\n${end}`), 1, 201],
    [
      'with a long extension',
      chunks(`${hexLength};${'a'.repeat(2e4)}\r\n${rex}\r\n${end}`),
      1,
      413,
    ],
    ['with a request in an extension', chunks(`0;\n\r\n${next}`), 1, 400],
    ['with a size of 2^64', chunks(`10000000000000000\r\n\r\n${next}`), 1, 400],
    ['with a size one too large', chunks(`1f\r\n${rex}\r\n${end}`), 1, 400],
    ['with LF CR LF after the last chunk', chunks(`${chunk}0\n\r\n${next}`), 1, 400],
    ['with LF alone after the last chunk', chunks(`${chunk}0\r\n\n${next}`), 1, 400],
    ['without the last chunk', chunks(chunk), 1, 400],
    ['that end within the data', chunks(`${hexLength}\r\n${rex.slice(0, 9)}`), 1, 400],
    ['of one byte each with an extension', chunks(bytewise + end), 1, 201],
    ['of 65537 bytes', chunks(`10001\r\n${rex.padEnd(65537)}\r\n${end}`), 1, 413],
    ['with a request in them', chunks(chunkedNext), 1, 400],
    ['of a request without a key', withoutKey(chunks(chunkedNext)), 1, 401],
  ],
  'trailers (section 7.1.2)': [
    ['one', chunks(`${chunk}0\r\nX: y\r\n\r\n`), 1, 400],
    ['of 20 000 bytes', chunks(`${chunk}0\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`), 1, 400],
    ['with a request in a value', chunks(`${chunk}0\r\nX: ${next}`), 1, 400],
    ['before another request', chunks(`${chunk}0\r\nX: y\r\n\r\n${get()}`), 2, 400],
  ],
  'more on a connection (section 9)': [
    ['nine requests', get().repeat(9), 9, ...Array<number>(9).fill(200)],
    ['a request and text that is no request', `${get()}hello\r\n\r\n`, 1, 200, 400],
    ['a request and half of one', get() + get().slice(0, 20), 1, 200],
    ['a request after Connection: close', get(close) + next, 1, 200],
    ['a request after HTTP/1.0', line(`GET ${target} HTTP/1.0`, keepAlive) + get(), 2, 200],
    ['a request after a POST', sized(rex) + get(), 2],
    ['text that is no request after a POST', `${sized(rex)}hello\r\n\r\n`, 1, 400],
    ['a request after chunks', chunks(chunk + end) + get(), 2],
    ['a request after a refused one', withoutKey(sized(rex)) + get(), 2, 401, 200],
    ['a request after CONNECT', line('CONNECT case-CASE:80 HTTP/1.1') + get(), 2, 404],
    ['Expect, and the body at once', sized(rex, expect100), 1, 100, 201],
    ['Expect, without a key', withoutKey(sized(next, expect100)), 1, 100, 401],
    ['Expect, and no body', post([length(rex), expect100], ''), 1, 100, 400],
  ],
  'no request': [
    ['a thousand empty lines', '\r\n'.repeat(1000), 0, 400],
    ['64 KiB of one letter', 'A'.repeat(65536), 0, 431],
    ['all 256 bytes', String.fromCharCode(...Array(256).keys()), 0, 400],
    ['a line of the PROXY protocol', `PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n${get()}`, 0, 400],
    ['a preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 0, 400],
    ['an answer', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 0, 400],
  ],
};

const pieces: readonly Row[] = [
  ['a list', get(close), 1, 200],
  ['a target in absolute form', line(`GET http://h${target} HTTP/1.1`, close), 1, 200],
  ['HEAD', line(`HEAD ${target} HTTP/1.1`, close), 1, 200],
  ['OPTIONS', line(`OPTIONS ${target} HTTP/1.1`, close), 1, 204],
  ['a body with a length', sized(rex, close), 1, 201],
  ['chunks', post([chunked, close], `${chunk}000\r\n\r\n`), 1, 201],
  [
    'chunks with extensions',
    post(
      [chunked, close],
      `9;a;b=c\r\n${rex.slice(0, 9)}\r\n15;d="e"\r\n${rex.slice(9)}\r\n0;f\r\n\r\n`,
    ),
    1,
    201,
  ],
  ['two lists', get() + get(close), 2, 200, 200],
  ['a GET with a body, and a list', get(length(next)) + next + get(close), 2, 200, 200],
  ['a body without a key, and a list', withoutKey(sized(next)) + get(close), 2, 401, 200],
];

/** Valid requests that close their connection. They may arrive in any two pieces. */
export const fragmented = pieces.map(toCase);

export const httpCorpus: readonly HttpCase[] = Object.entries(rows).flatMap(([section, cases]) =>
  cases.map(([name, ...rest]) => toCase([`${section}: ${name}`, ...rest])),
);

function toCase([name, text, requestsMax, ...statuses]: Row): HttpCase {
  return { name, text, requestsMax, statuses };
}

/** The text to send for a case, with its number and a valid key. */
export function fillCase(text: string, index: number, apiKey: string): string {
  return text.replaceAll('CASE', caseNumber(index)).replaceAll(apiKeyPlace, apiKey);
}

export function caseNumber(index: number): string {
  return String(index).padStart(4, '0');
}

/** The number of the case that sent this request or target. */
export function caseNumberIn(text: string): string | undefined {
  return /case[=-]([0-9]{4})/.exec(text)?.[1];
}
