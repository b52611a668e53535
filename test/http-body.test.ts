import { afterAll, describe, expect, test } from 'bun:test';
import { expectError, readIds, readPet } from './support/answers.ts';
import { addingNothing } from './support/catalogue.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

/** Refused bodies leave no trace, so that one app can serve all tests about them. */
const opening = openTestApp();
afterAll(async () => (await opening)[Symbol.asyncDispose]());

const rex = '{"name":"Rex","categoryId":1}';
const bytesMax = 65536;

/** An animal with one unknown member more. */
function withMember(member: string): string {
  return `{"name":"Rex","categoryId":1,"x":${member}}`;
}

function nested(depth: number, open = '[', close = ']'): string {
  return open.repeat(depth) + close.repeat(depth);
}

async function expectRefused(body: string | Uint8Array) {
  const app = await opening;
  return expectError(await addingNothing(app, () => app.post(body)), 'invalid_json');
}

describe('POST /v1/pets answers 400 invalid_json to', () => {
  test.each([
    ['an empty body', ''],
    ['white space', ' \r\n\t'],
    ['a body cut short', rex.slice(0, -1)],
    ['a letter after the object', `${rex}x`],
    ['a second object', rex + rex],
    ['a NUL at the end', `${rex}\u0000`],
    ['a byte order mark', `\ufeff${rex}`],
    ['a byte order mark at the end', `${rex}\ufeff`],
    ['white space that is not JSON', `\u00a0${rex}`],
    ['a comment', `/* */${rex}`],
    ['a trailing comma', '{"name":"Rex","categoryId":1,}'],
    ['single quotes', "{'name':'Rex','categoryId':1}"],
    ['a name without quotes', '{name:"Rex","categoryId":1}'],
    ['NaN', withMember('NaN')],
    ['undefined', withMember('undefined')],
    ['a raw line break in a string', withMember('"\n"')],
    ['a raw tab in a string', withMember('"\t"')],
    ['an unknown escape', withMember(String.raw`"\x41"`)],
    ['half an escape', withMember(String.raw`"\u004"`)],
    ['a form', 'name=Rex&categoryId=1'],
  ])('%s', async (_name, body) => {
    await expectRefused(body);
  });

  test.each([
    ['{"name":"Rex",\n\t"categoryId":1,\r\n}', 'unexpected "}" at line 3, column 1'],
    ['{"name":"猫🐈","categoryId":x}', 'unexpected "x" at line 1, column 27'],
    ['{"name":"e\u0301🐈",\r"categoryId":01}', 'unexpected "1" at line 2, column 15'],
    ['{"name":"Rex"\n', 'unexpected end at line 2, column 1'],
    ['{"name":"Rex', 'unexpected end at line 1, column 13'],
    ['{"name":"Rex\n","categoryId":1}', 'unexpected "\\n" at line 1, column 13'],
    [String.raw`{"name":"\x41"}`, 'unexpected "x" at line 1, column 11'],
    ['{"name":"\\u00🐈"}', 'unexpected "🐈" at line 1, column 14'],
    ['{"name":"Rex","categoryId":1}{', 'unexpected "{" at line 1, column 30'],
    ['{"name" "Rex"}', 'unexpected "\\"" at line 1, column 9'],
    ['[1,,2]', 'unexpected "," at line 1, column 4'],
    ['{"a":-}', 'unexpected "}" at line 1, column 7'],
    ['{"a":1.}', 'unexpected "}" at line 1, column 8'],
    ['{"a":1e+}', 'unexpected "}" at line 1, column 9'],
    ['{"a":nul}', 'unexpected "}" at line 1, column 9'],
    ["{'a':1}", 'unexpected "\'" at line 1, column 2'],
    ['\u00a0{}', 'unexpected "\u00a0" at line 1, column 1'],
    ['{"a":]', 'unexpected "]" at line 1, column 6'],
    ['[1}', 'unexpected "}" at line 1, column 3'],
  ])('%j, and says where the fault is', async (body, where) => {
    expect(await expectRefused(body)).toBe(`The body is not valid JSON: ${where}`);
  });

  test.each([
    ['a byte that is no UTF-8', [0xff]],
    ['a character cut short', [0xf0, 0x9f, 0x90]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate in three bytes', [0xed, 0xa0, 0xbd]],
    ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['Latin-1', [0xe9]],
  ])('%s', async (_name, bytes) => {
    const [before = '', after = ''] = withMember('"?"').split('?');
    const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
    expect(await expectRefused(body)).toContain('UTF-8');
  });

  test('UTF-16 in either order', async () => {
    await expectRefused(Buffer.from(rex, 'utf16le'));
    await expectRefused(Buffer.from(rex, 'utf16le').swap16());
  });

  test.each([
    ['name', '{"name":"Rex","name":"Fluffy","categoryId":1}'],
    ['name with the same value', '{"name":"Rex","categoryId":1,"name":"Rex"}'],
    ['name, once escaped', String.raw`{"name":"Rex","\u006eame":"Rex","categoryId":1}`],
    ['categoryId', '{"name":"Rex","categoryId":1,"categoryId":1}'],
    ['status', '{"name":"Rex","categoryId":1,"status":"sold","status":"sold"}'],
    ['an unknown one', '{"name":"Rex","categoryId":1,"x":1,"x":1}'],
    ['the empty name', '{"name":"Rex","categoryId":1,"":1,"":1}'],
    ['__proto__', '{"name":"Rex","categoryId":1,"__proto__":1,"__proto__":1}'],
    ['a number as name', '{"name":"Rex","categoryId":1,"1":1,"1":1}'],
    ['one whose first value is an object', '{"name":"Rex","categoryId":1,"x":{"a":1,"b":2},"x":1}'],
    ['one whose last value is an object', '{"name":"Rex","categoryId":1,"x":1,"x":{"a":1,"b":2}}'],
    ['one within', withMember('{"a":1,"a":1}')],
    ['one within an array', withMember('[[{"a":1},{"b":1,"b":2}]]')],
    ['one far within', withMember('{"a":{"a":{"a":{"b":1,"b":1}}}}')],
    ['one outside of any animal', '[{"a":1,"a":1}]'],
  ])('a member written twice: %s', async (_name, body) => {
    expect(await expectRefused(body)).toContain('a duplicate member');
  });

  test.each([
    ['arrays', withMember(nested(32))],
    ['objects', withMember(nested(31, '{"a":', '}').replace(':}', ':{}}'))],
    ['both', withMember(nested(16, '[{"a":', '}]').replace(':}', ':1}'))],
    ['arrays outside of any animal', nested(33)],
    ['thousands of arrays', nested(30_000)],
    ['thousands of arrays without an end', '['.repeat(60_000)],
  ])('33 levels or more: %s', async (_name, body) => {
    expect(await expectRefused(body)).toContain('32 levels');
  });
});

describe('POST /v1/pets takes', () => {
  test.each([
    ['white space around the object', ` \r\n\t${rex}\n `],
    ['32 levels of arrays', withMember(nested(31))],
    ['32 levels of objects', withMember(nested(30, '{"a":', '}').replace(':}', ':{}}'))],
    ['brackets without end in a string', withMember(`"${'[{'.repeat(100)}"`)],
    ['brackets after an escaped quote', withMember(String.raw`"\"${'['.repeat(100)}"`)],
    ['a string that ends in a backslash', withMember(String.raw`"\\"`)],
    ['colons and quotes in strings', withMember(String.raw`"a:b\":\\:\"c\":"`)],
    ['colons in the name of a member', '{"name":"Rex","categoryId":1,"a:b":1,":":2}'],
    ['the same member in different objects', withMember('[{"name":1},{"name":{"name":2}}]')],
    ['members that differ in case', '{"name":"Rex","categoryId":1,"Name":1,"NAME":2}'],
    ['members that look like numbers', '{"name":"Rex","categoryId":1,"1":1,"01":1,"1.0":1}'],
    ['members that are alike but for composition', withMember('{"\u00e9":1,"e\u0301":2}')],
    [
      'numbers of every form in unknown members',
      withMember('[1e400,-0,1.5e-400,12345678901234567890]'),
    ],
    ['null, true and empty things in unknown members', withMember('[null,true,false,{},[],""]')],
  ])('%s', async (_name, body) => {
    await using app = await openTestApp();
    expect(await readPet(await app.post(body), 201)).toMatchObject({ name: 'Rex', id: 1n });
  });
});

describe('a body of', () => {
  const padding = ' '.repeat(bytesMax - rex.length);

  /** Without a length, as chunked requests come; `pieces` are sent one after the other. */
  function streamed({ send }: TestApp, pieces: Iterable<string>): Promise<Response> {
    const iterator = pieces[Symbol.iterator]();
    const body = new ReadableStream({
      pull(controller) {
        const { value, done } = iterator.next();
        if (done) controller.close();
        else controller.enqueue(Buffer.from(value));
      },
    });
    const headers = { 'content-type': 'application/json' };
    return send('/v1/pets', { method: 'POST', headers, body });
  }

  function* inPieces(text: string, length: number) {
    for (let index = 0; index < text.length; index += length) {
      yield text.slice(index, index + length);
    }
  }

  test('65536 bytes is taken, and one of 65537 answers 413', async () => {
    await using app = await openTestApp();
    const length = { 'content-length': String(bytesMax) };
    expect((await readPet(await app.post(rex + padding, length), 201)).id).toBe(1n);
    expect((await readPet(await app.post(rex + padding), 201)).id).toBe(2n);
    expect((await readPet(await streamed(app, inPieces(rex + padding, 1000)), 201)).id).toBe(3n);

    const longer = { 'content-length': String(bytesMax + 1) };
    await expectError(await app.post(`${rex + padding} `, longer), 'content_too_large');
    await expectError(await app.post(`${rex + padding} `), 'content_too_large');
    const pieces = inPieces(`${rex + padding} `, 1000);
    await expectError(await streamed(app, pieces), 'content_too_large');
    expect(await readIds(await app.send('/v1/pets'))).toEqual([3, 2, 1]);
  });

  test('65536 bytes counts bytes, not characters', async () => {
    const { post } = await opening;
    const body = withMember(`"${'\u732b'.repeat(30_000)}"`);
    expect(body.length).toBeLessThan(bytesMax);
    await expectError(await post(body), 'content_too_large');
  });

  test('a declared length above 65536 answers 413 before any of it is read', async () => {
    const app = await opening;
    let pulled = 0;
    const body = new ReadableStream(
      {
        pull(controller) {
          pulled += 1;
          controller.enqueue(Buffer.from(rex));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { 'content-type': 'application/json', 'content-length': String(bytesMax + 1) };
    const response = await app.send('/v1/pets', { method: 'POST', headers, body });
    await expectError(response, 'content_too_large');
    expect(pulled).toBe(0);
  });

  test('no declared length and no end answers 413', async () => {
    function* endless() {
      while (true) yield ' '.repeat(1000);
    }
    await expectError(await streamed(await opening, endless()), 'content_too_large');
  });

  test('one byte at a time is read as a whole', async () => {
    await using app = await openTestApp();
    const body = '{"name":"\u732b\u{1f431}","categoryId":1}';
    const bytes = [...Buffer.from(body)].map((byte) => String.fromCharCode(byte));
    const latin1 = new ReadableStream({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Buffer.from(byte, 'latin1'));
        controller.close();
      },
    });
    const headers = { 'content-type': 'application/json' };
    const response = await app.send('/v1/pets', { method: 'POST', headers, body: latin1 });
    expect((await readPet(response, 201)).name).toBe('\u732b\u{1f431}');
  });
});

describe('a body whose type is', () => {
  function post({ send }: TestApp, headers: Record<string, string>): Promise<Response> {
    return send('/v1/pets', { method: 'POST', body: Buffer.from(rex), headers });
  }

  test.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=utf-8',
    'application/json ; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; Charset=Utf-8',
  ])('%s is taken', async (type) => {
    await using app = await openTestApp();
    expect((await readPet(await post(app, { 'content-type': type }), 201)).name).toBe('Rex');
  });

  test.each([
    undefined,
    '',
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json5',
    'application/problem+json',
    'application/merge-patch+json',
    'application/json; charset=utf-16',
    'application/json; charset=iso-8859-1',
    'application/json, text/plain',
    'multipart/form-data; boundary=application/json',
    '*/*',
    'json',
  ])('%j answers 415, and says what is accepted', async (type) => {
    const app = await opening;
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const response = await addingNothing(app, () => post(app, headers));
    expect(response.headers.get('accept')).toBe('application/json');
    await expectError(response, 'unsupported_media_type');
  });

  test.each(['gzip', 'br', 'GZIP', 'identity, gzip', 'x'])(
    'application/json with Content-Encoding: %s answers 415',
    async (encoding) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      await expectError(await post(await opening, headers), 'unsupported_media_type');
    },
  );

  test('application/json with Content-Encoding: identity is taken', async () => {
    await using app = await openTestApp();
    const headers = { 'content-type': 'application/json', 'content-encoding': 'identity' };
    expect((await readPet(await post(app, headers), 201)).id).toBe(1n);
  });
});
