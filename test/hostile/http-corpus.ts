/**
 * Bytes that a hostile, broken or merely old client may send, written after RFC 9112 (and RFC 9110 for the
 * syntax of fields), section by section. A character stands for a byte.
 */
export interface HttpCase {
  readonly name: string;
  /** With `CASE` for the number of the case in four digits, and `apiKeyPlace` for a key that opens. */
  readonly text: string;
  /** How many requests a reader may take it for at most, even a lenient one. */
  readonly requestsMax: number;
  /** What comes back, in order: HTTP statuses; none where the connection ends without a word. */
  readonly statuses: readonly number[];
}

/** As long as a key, so that lengths which were counted with it stay right. */
export const apiKeyPlace = 'K'.repeat(48);

const target = '/v1/pets?case=CASE';
const standard = ['Host: h', `Authorization: Bearer ${apiKeyPlace}`];
const rex = '{"name":"CASE","categoryId":1}';
const json = 'Content-Type: application/json';
const chunked = 'Transfer-Encoding: chunked';

/** A whole request that must never be dispatched where it stands within another. */
const next = line(`GET ${target}&smuggled HTTP/1.1`);

/** A request whose first line is this. */
function line(first: string, ...headers: readonly string[]): string {
  return `${[first, ...standard, ...headers].join('\r\n')}\r\n\r\n`;
}

/** A list with these headers more. */
function get(...headers: readonly string[]): string {
  return line(`GET ${target} HTTP/1.1`, ...headers);
}

/** A new animal with these headers more, which say how long its body is. */
function post(headers: readonly string[], body: string): string {
  return line(`POST ${target} HTTP/1.1`, json, ...headers) + body;
}

/** One whose body comes in chunks that are spelled out. */
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
const chunkedNext = `${next.length.toString(16)}\r\n${next}\r\n${end}`;

type Row = readonly [name: string, text: string, requestsMax: number, ...statuses: number[]];

const rows: Readonly<Record<string, readonly Row[]>> = {
  'the first line (section 3)': [
    ['plain', get(), 1, 200],
    ['after an empty line', `\r\n${get()}`, 1, 400],
    ['after a bare LF', `\n${get()}`, 1, 400],
    ['with LF alone at the end of all lines', get().replaceAll('\r\n', '\n'), 1, 505],
    ['with CR alone at the end of all lines', get().replaceAll('\r\n', '\r'), 0, 505],
    ['with a method in lower case', get().replace('GET', 'get'), 1],
    ['with a method that does not exist', get().replace('GET', 'FOO'), 1],
    ['with a method that is no token', get().replace('GET', 'G(T'), 0, 400],
    ['with a method of 20 000 letters', get().replace('GET', 'A'.repeat(20_000)), 1, 431],
    ['with two spaces after the method', get().replace('GET', 'GET '), 0, 400],
    ['with a tab before the version', get().replace(' HTTP', '\tHTTP'), 0, 505],
    ['with a space after the version', get().replace('1.1', '1.1 '), 0, 505],
    ['without a version', line(`GET ${target}`), 0, 505],
    ['of HTTP/0.9, and no more', `GET ${target}\r\n\r\n`, 0, 505],
    ['of HTTP/1.0', line(`GET ${target} HTTP/1.0`), 1, 200],
    ['of HTTP/1.2', line(`GET ${target} HTTP/1.2`), 1, 505],
    ['of HTTP/2.0', line(`GET ${target} HTTP/2.0`), 0, 505],
    ['of HTTP/1.1x', line(`GET ${target} HTTP/1.1x`), 0, 505],
    ['with a word after the version', line(`GET ${target} HTTP/1.1 x`), 0, 505],
    ['without a target', line('GET HTTP/1.1'), 0, 400],
  ],
  'the target (section 3.2)': [
    ['with a space', get().replace('CASE', 'CASE x'), 0, 505],
    ['with a NUL', get().replace('CASE', 'CASE\0'), 0, 505],
    ['with a bare CR', get().replace('CASE', 'CASE\rX: y'), 0, 505],
    ['with a bare LF', get().replace('CASE', 'CASE\nX: y'), 0, 505],
    ['with a byte above ASCII', get().replace('CASE', 'CASE\xff'), 1, 200],
    ['with a fragment', get().replace('CASE', 'CASE#x?limit=0'), 1, 200],
    ['that is * for GET', line('GET * HTTP/1.1'), 0, 400],
    ['that is * for OPTIONS', line('OPTIONS * HTTP/1.1'), 1, 400],
    ['without its slash', line('GET v1/pets?case=CASE HTTP/1.1'), 0, 400],
    ['with two dots as a segment', line('GET /v1/x/../pets?case=CASE HTTP/1.1'), 1, 200],
    ['with dots beyond the root', line('GET /../../v1/pets?case=CASE HTTP/1.1'), 1, 200],
    ['with dots as escapes', line('GET /v1/%2e%2e/v1/pets?case=CASE HTTP/1.1'), 1, 200],
    ['with a slash as an escape', line('GET /v1%2fpets?case=CASE HTTP/1.1'), 1, 404],
    ['with a NUL as an escape', line('GET /v1/pets%00?case=CASE HTTP/1.1'), 1, 404],
    ['with half an escape', line('GET /v1/pets%?case=CASE HTTP/1.1'), 1, 404],
    ['with two slashes first', line('GET //h/v1/pets?case=CASE HTTP/1.1'), 1, 404],
    ['in absolute form', line(`GET http://h${target} HTTP/1.1`), 1, 200],
    ['in absolute form of another host', line(`GET http://other${target} HTTP/1.1`), 1, 200],
    ['in absolute form without a host', line(`GET http://${target} HTTP/1.1`), 1, 200],
    ['in absolute form of FTP', line(`GET ftp://h${target} HTTP/1.1`), 1, 400],
    ['in authority form', line('GET h:80 HTTP/1.1'), 0, 400],
    ['of CONNECT, in authority form', line('CONNECT case-CASE:80 HTTP/1.1'), 1, 404],
    ['of CONNECT, as a path', line(`CONNECT ${target} HTTP/1.1`), 1, 405],
    ['of 15 000 bytes', get().replace('CASE', `CASE&${'a'.repeat(15_000)}`), 1, 200],
    ['of 17 000 bytes', get().replace('CASE', `CASE&${'a'.repeat(17_000)}`), 1, 431],
  ],
  'Host (section 3.2)': [
    ['missing', `GET ${target} HTTP/1.1\r\nAuthorization: Bearer ${apiKeyPlace}\r\n\r\n`, 0, 400],
    [
      'missing in HTTP/1.0',
      `GET ${target} HTTP/1.0\r\nAuthorization: Bearer ${apiKeyPlace}\r\n\r\n`,
      1,
      200,
    ],
    ['twice', get('Host: other'), 1, 400],
    ['twice in HTTP/1.0', line(`GET ${target} HTTP/1.0`, 'Host: h'), 1, 400],
    ['with a space before the colon', get().replace('Host:', 'Host :'), 0, 400],
    ['with a comma', get().replace('Host: h', 'Host: h,other'), 1, 400],
    ['with a zone', get().replace('Host: h', 'Host: [fe80::1%25eth0]'), 1, 400],
    ['with an escape', get().replace('Host: h', 'Host: %68'), 1, 400],
  ],
  'fields (section 5)': [
    ['a space before the colon', get('X : y'), 0, 400],
    ['no colon', get('X'), 0, 400],
    ['no name', get(': y'), 0, 400],
    ['a name with a NUL', get('X\0Y: z'), 0, 400],
    ['a name above ASCII', get('X\xe9: z'), 0, 400],
    ['a name of every character that a token has', get("!#$%&'*+-.^_`|~09azAZ: y"), 1, 200],
    ['a value with a NUL', get('X: y\0z'), 0, 400],
    ['a value above ASCII', get('X: y\xe9z'), 1, 200],
    ['a value with a bare CR', get('X: y\rz'), 0, 400],
    ['a value with a bare LF', get('X: y\nz'), 0, 400],
    ['a field hidden behind a bare CR', get(`X: y\r${chunked}`), 0, 400],
    ['a field hidden behind a bare LF', get(`X: y\n${chunked}`), 1, 400],
    ['a fold with a space', get('X: y', ' z: w'), 0, 400],
    ['a fold as the first line', get().replace('\r\nHost', '\r\n Host'), 0, 400],
    ['an end of CR LF CR CR LF', get().replace(/\r\n$/, '\r\r\n'), 0, 400],
    ['an end of CR LF LF', get().replace(/\r\n$/, '\n'), 1, 400],
    ['198 fields', get(...many(196)), 1, 200],
    ['199 fields', get(...many(197)), 1, 431],
    ['a value of 15 000 bytes', get(`X: ${'y'.repeat(15_000)}`), 1, 200],
    ['a value of 17 000 bytes', get(`X: ${'y'.repeat(17_000)}`), 1, 431],
    ['Authorization twice', get(`Authorization: Bearer ${apiKeyPlace}`), 1, 401],
    ['Content-Type twice', post([json, length(rex)], rex), 1, 415],
    [
      'Idempotency-Key twice',
      post(['Idempotency-Key: a', 'Idempotency-Key: b', length(rex)], rex),
      1,
      400,
    ],
    ['an Expect without a body', get('Expect: 100-continue'), 1, 100, 200],
    [
      'an Upgrade to h2c',
      get(
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA',
      ),
      1,
      200,
    ],
    ['a Connection that names Authorization', get('Connection: Authorization, close'), 1, 200],
    ['a Range', get('Range: bytes=0-0'), 1, 200],
    ['X-Original-URL', get('X-Original-URL: /v1/nothing', 'X-Rewrite-URL: /v1/nothing'), 1, 200],
  ],
  'Content-Length (section 6.2)': [
    ['right', post([length(rex)], rex), 1, 201],
    ['twice alike', post([length(rex), length(rex)], rex), 1, 201],
    ['twice, first the right one', post([length(rex), 'Content-Length: 5'], rex), 0, 400],
    ['twice, to hide a request', post(['Content-Length: 0', length(next)], next), 0, 400],
    ['as a list alike', post([`Content-Length: ${rex.length}, ${rex.length}`], rex), 1, 400],
    ['as a list', post([`Content-Length: ${rex.length}, 5`], rex), 0, 400],
    ['with a plus', post([`Content-Length: +${rex.length}`], rex), 0, 400],
    ['negative', post([`Content-Length: -${rex.length}`], rex), 0, 400],
    ['minus zero, to hide a request', post(['Content-Length: -0'], next), 0, 400],
    ['in hexadecimal', post([`Content-Length: 0x${hexLength}`], rex), 0, 400],
    ['with zeros before it', post([`Content-Length: 00${rex.length}`], rex), 1, 201],
    ['with a letter after it', post([`${length(rex)}x`], rex), 0, 400],
    ['with spaces and tabs around it', post([`Content-Length: \t ${rex.length} \t`], rex), 1, 201],
    ['with a vertical tab before it', post([`Content-Length: \v${rex.length}`], rex), 0, 400],
    ['of nothing', post(['Content-Length:'], rex), 0, 400],
    ['with a space before the colon', post([`Content-Length : ${rex.length}`], rex), 0, 400],
    ['with a fold', post([`Content-Length:\r\n ${rex.length}`], rex), 0, 400],
    ['of 2^53', post(['Content-Length: 9007199254740992'], rex), 1, 413],
    ['of 2^64', post(['Content-Length: 18446744073709551616'], next), 1, 400],
    ['by an underscore', post([`Content_Length: ${next.length}`], ''), 1, 400],
    ['one too short', post([`Content-Length: ${rex.length - 1}`], rex), 1, 400, 400],
    ['one too long, and then nothing', post([`Content-Length: ${rex.length + 1}`], rex), 1, 400],
    ['of zero, and a body', post(['Content-Length: 0'], rex), 1, 400, 400],
    ['missing, and a body', post([], rex), 1, 400, 400],
    ['of a GET', get(length(next)) + next, 1, 200],
    ['of a HEAD', get(length(next)).replace('GET', 'HEAD') + next, 1, 200],
    ['of a request without a key', post([length(next)], next).replace('Bearer', 'Basic'), 1, 401],
    ['of a method that the path has not', get(length(next)).replace('GET', 'PUT') + next, 1, 405],
    [
      'of 65537 bytes that hold a request',
      post(['Content-Length: 65537'], next.padStart(65537)),
      1,
      413,
    ],
    ['of a body that hides a request', post([length(next)], next), 1, 400],
  ],
  'Transfer-Encoding (section 6.1)': [
    ['chunked', chunks(chunk + end), 1, 201],
    ['in upper case', chunks(chunk + end).replace('chunked', 'CHUNKED'), 1, 201],
    ['after Content-Length', post([length(chunk + end), chunked], chunk + end), 1, 400],
    ['before Content-Length', post([chunked, length(chunk + end)], chunk + end), 1, 400],
    [
      'and a Content-Length that hides a request',
      post(['Content-Length: 5', chunked], `${end}${next}`),
      1,
      400,
    ],
    ['and a Content-Length of zero', post(['Content-Length: 0', chunked], `${end}${next}`), 1, 400],
    [
      'and a length in HTTP/1.0',
      post([chunked, length(end + next)], end + next).replace('1.1', '1.0'),
      1,
      400,
    ],
    ['in HTTP/1.0', chunks(chunk + end).replace('1.1', '1.0'), 1, 400],
    ['twice', post([chunked, chunked], chunk + end), 0, 400],
    ['twice in a list', post([`${chunked}, chunked`], chunk + end), 0, 400],
    ['identity', post(['Transfer-Encoding: identity', length(rex)], rex), 1, 400],
    ['gzip, chunked', post(['Transfer-Encoding: gzip, chunked'], chunk + end), 1, 400],
    ['chunked, gzip', post(['Transfer-Encoding: chunked, gzip'], chunk + end), 0, 400],
    ['xchunked', post(['Transfer-Encoding: xchunked'], chunk + end), 0, 400],
    ['of nothing beside a length', post(['Transfer-Encoding:', length(rex)], rex), 0, 400],
    ['after a comma', post(['Transfer-Encoding: , chunked'], chunk + end), 1, 201],
    ['in quotes', post(['Transfer-Encoding: "chunked"'], chunk + end), 0, 400],
    ['with a parameter', post(['Transfer-Encoding: chunked;q=1'], chunk + end), 0, 400],
    ['with a tab before it', post(['Transfer-Encoding:\tchunked'], chunk + end), 1, 201],
    ['with a vertical tab before it', post(['Transfer-Encoding: \vchunked'], chunk + end), 0, 400],
    ['with a NUL after it', post([`${chunked}\0`], chunk + end), 0, 400],
    ['with a space before the colon', post(['Transfer-Encoding : chunked'], chunk + end), 0, 400],
    [
      'with a fold beside a length',
      post(['Transfer-Encoding: x', ' chunked', length(rex)], rex),
      0,
      400,
    ],
    [
      'by an underscore, beside a length',
      post(['Transfer_Encoding: chunked', length(rex)], rex),
      1,
      201,
    ],
    [
      'with a space before its name',
      post([' Transfer-Encoding: chunked', length(rex)], rex),
      0,
      400,
    ],
    ['behind a bare CR', post([`X: y\r${chunked}`, length(rex)], rex), 0, 400],
    ['behind a bare LF', post([`X: y\n${chunked}`], chunk + end), 1, 400],
    ['of a GET', get(chunked) + chunkedNext, 1, 200],
    [
      'named by Connection',
      post([`Connection: Transfer-Encoding, keep-alive`, chunked], chunk + end),
      1,
      201,
    ],
  ],
  'chunks (section 7.1)': [
    ['two', chunks(`9\r\n${rex.slice(0, 9)}\r\n15\r\n${rex.slice(9)}\r\n${end}`), 1, 201],
    ['with a size in upper case', chunks(`${hexLength.toUpperCase()}\r\n${rex}\r\n${end}`), 1, 201],
    ['with zeros before the size', chunks(`000${chunk}${end}`), 1, 201],
    ['with an extension', chunks(`${hexLength};a\r\n${rex}\r\n${end}`), 1, 201],
    [
      'with an extension in quotes',
      chunks(`${hexLength};a="b;c"\r\n${rex}\r\n0;a="b"\r\n\r\n`),
      1,
      201,
    ],
    [
      'with an extension of 20 000 bytes',
      chunks(`${hexLength};${'a'.repeat(20_000)}\r\n${rex}\r\n${end}`),
      1,
      413,
    ],
    ['with a bare LF in an extension', chunks(`${hexLength};a\n${rex}\r\n${end}`), 1, 400],
    ['with a bare CR in an extension', chunks(`${hexLength};a\rb\r\n${rex}\r\n${end}`), 1, 400],
    ['with a request in an extension', chunks(`0;\n\r\n${next}`), 1, 400],
    ['without a size', chunks(`\r\n${rex}\r\n${end}`), 1, 400],
    ['with a negative size', chunks(`-${chunk}${end}`), 1, 400],
    ['with 0x before the size', chunks(`0x${chunk}${end}`), 1, 400],
    ['with a space after the size', chunks(`${hexLength} \r\n${rex}\r\n${end}`), 1, 400],
    ['with an underscore in the size', chunks(`1_e\r\n${rex}\r\n${end}`), 1, 400],
    [
      'with a size of 2^64 + the right one',
      chunks(`1000000000000001e\r\n${rex}\r\n${end}`),
      1,
      400,
    ],
    ['with a size of 2^64, to hide a request', chunks(`10000000000000000\r\n\r\n${next}`), 1, 400],
    ['with a size one too small', chunks(`1d\r\n${rex}\r\n${end}`), 1, 400],
    ['with a size one too large', chunks(`1f\r\n${rex}\r\n${end}`), 1, 400],
    ['with LF alone after the size', chunks(`${hexLength}\n${rex}\r\n${end}`), 1, 400],
    ['with LF alone after the data', chunks(`${hexLength}\r\n${rex}\n${end}`), 1, 400],
    ['with nothing after the data', chunks(`${hexLength}\r\n${rex}${end}`), 1, 400],
    ['with more after the data', chunks(`${hexLength}\r\n${rex}xx\r\n${end}`), 1, 400],
    ['with a last one and a request in place of its end', chunks(`${chunk}0\r\n${next}`), 1, 400],
    ['with LF alone after the last, and a request', chunks(`${chunk}0\r\n\n${next}`), 1, 400],
    ['without a last one', chunks(chunk), 1, 400],
    ['that break off within the data', chunks(`${hexLength}\r\n${rex.slice(0, 9)}`), 1, 400],
    ['none but the last', chunks(end), 1, 400],
    [
      'of one byte each with an extension',
      chunks(`${[...rex].map((byte) => `1;a=b\r\n${byte}\r\n`).join('')}${end}`),
      1,
      201,
    ],
    ['of 65537 bytes', chunks(`10001\r\n${rex.padEnd(65537)}\r\n${end}`), 1, 413],
    ['that hold a request', chunks(chunkedNext), 1, 400],
    ['of a request without a key', chunks(chunkedNext).replace('Bearer', 'Basic'), 1, 401],
  ],
  'trailers (section 7.1.2)': [
    ['one', chunks(`${chunk}0\r\nX: y\r\n\r\n`), 1, 400],
    ['a key', chunks(`${chunk}0\r\nAuthorization: Bearer x\r\n\r\n`), 1, 400],
    ['with a fold', chunks(`${chunk}0\r\nX: y\r\n z\r\n\r\n`), 1, 400],
    ['that hold a request in a value', chunks(`${chunk}0\r\nX: ${next}`), 1, 400],
    ['before another request', chunks(`${chunk}0\r\nX: y\r\n\r\n${get()}`), 2, 400],
  ],
  'more on a connection (section 9)': [
    ['two requests', get() + get(), 2, 200, 200],
    ['nine requests', get().repeat(9), 9, ...Array<number>(9).fill(200)],
    ['a request and words', `${get()}hello\r\n\r\n`, 1, 200, 400],
    ['a request and half of one', get() + get().slice(0, 20), 1, 200],
    ['a request after Connection: close', get('Connection: close') + next, 1, 200],
    ['a request after HTTP/1.0', line(`GET ${target} HTTP/1.0`) + next, 1, 200],
    ['a request after a POST', post([length(rex)], rex) + get(), 2],
    ['words after a POST', `${post([length(rex)], rex)}hello\r\n\r\n`, 1, 400],
    ['a request after chunks', chunks(chunk + end) + get(), 2],
    [
      'a request after one that was refused',
      post([length(rex)], rex).replace('Bearer', 'Basic') + get(),
      2,
      401,
      200,
    ],
    ['a request after HEAD', get().replace('GET', 'HEAD') + get(), 2, 200, 200],
    ['a request after an Upgrade', get('Connection: Upgrade', 'Upgrade: h2c') + get(), 2, 200, 200],
    [
      'a body that was not waited for',
      post([length(rex), 'Expect: 100-continue'], rex),
      1,
      100,
      201,
    ],
    [
      'a body that was not waited for, without a key',
      post([length(next), 'Expect: 100-continue'], next).replace('Bearer', 'Basic'),
      1,
      100,
      401,
    ],
    [
      'a body that was told to wait, and never came',
      post([length(rex), 'Expect: 100-continue'], ''),
      1,
      100,
      400,
    ],
  ],
  'what is no request': [
    ['nothing', '', 0],
    ['the first letter of one', 'G', 0],
    ['all but the last byte of one', get().slice(0, -1), 0],
    ['a thousand empty lines', '\r\n'.repeat(1000), 0, 400],
    ['NULs', '\0'.repeat(100), 0, 400],
    ['every byte there is', String.fromCharCode(...Array(256).keys()), 0, 400],
    ['a greeting of TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 0, 400],
    ['a line of the PROXY protocol', `PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n${get()}`, 0, 400],
    ['a preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 0, 400],
  ],
};

const pieces: readonly Row[] = [
  ['a list', get('Connection: close'), 1, 200],
  ['a list after HTTP/1.0', line(`GET ${target} HTTP/1.0`), 1, 200],
  [
    'a target in absolute form',
    line(`GET http://h${target} HTTP/1.1`, 'Connection: close'),
    1,
    200,
  ],
  ['HEAD', line(`HEAD ${target} HTTP/1.1`, 'Connection: close'), 1, 200],
  ['OPTIONS', line(`OPTIONS ${target} HTTP/1.1`, 'Connection: close'), 1, 204],
  ['a body with a length', post([length(rex), 'Connection: close'], rex), 1, 201],
  ['chunks', post([chunked, 'Connection: close'], `${chunk}000\r\n\r\n`), 1, 201],
  [
    'chunks with extensions',
    post(
      [chunked, 'Connection: close'],
      `9;a;b=c\r\n${rex.slice(0, 9)}\r\n15;d="e"\r\n${rex.slice(9)}\r\n0;f\r\n\r\n`,
    ),
    1,
    201,
  ],
  ['two lists', get() + get('Connection: close'), 2, 200, 200],
  [
    'a body nobody asked for, and a list',
    get(length(next)) + next + get('Connection: close'),
    2,
    200,
    200,
  ],
  [
    'a body of a request without a key, and a list',
    post([length(next)], next).replace('Bearer', 'Basic') + get('Connection: close'),
    2,
    401,
    200,
  ],
];

/** Valid requests, the last on their connections, which may arrive in any pieces. */
export const fragmented = pieces.map(toCase);

export const httpCorpus: readonly HttpCase[] = Object.entries(rows).flatMap(([section, cases]) =>
  cases.map(([name, ...rest]) => toCase([`${section}: ${name}`, ...rest])),
);

function toCase([name, text, requestsMax, ...statuses]: Row): HttpCase {
  return { name, text, requestsMax, statuses };
}
