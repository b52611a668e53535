import { describe, expect, test } from 'bun:test';
import { expectError, readIds, readPet } from './support/answers.ts';
import { addingNothing } from './support/catalogue.ts';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

/** Refused bodies store nothing, so one app serves all tests about them. */
const opening = openSharedApp();

const rex = '{"name":"Rex","categoryId":1}';
const bytesMax = 65536;

/** An animal with an additional unknown member. */
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
    ['{"name":"Rex",\n\t"categoryId":1,\r\n}', 'unexpected "}" at line 3, column 1'],
    ['{"name":"猫🐈","categoryId":x}', 'unexpected "x" at line 1, column 27'],
    ['{"name":"e\u0301🐈",\r"categoryId":01}', 'unexpected "1" at line 2, column 15'],
    ['{"name":"Rex', 'unexpected end at line 1, column 13'],
    [String.raw`{"name":"\x41"}`, 'unexpected "x" at line 1, column 11'],
    ['{"name":"\\u00🐈"}', 'unexpected "🐈" at line 1, column 14'],
    ['{"name":"Rex","categoryId":1}{', 'unexpected "{" at line 1, column 30'],
    ["{'a':1}", 'unexpected "\'" at line 1, column 2'],
    ['{"a":]', 'unexpected "]" at line 1, column 6'],
  ])('%j, and names the place of the fault', async (body, where) => {
    expect(await expectRefused(body)).toBe(`The body is not valid JSON: ${where}`);
  });

  test.each([
    ['name', '{"name":"Rex","name":"Fluffy","categoryId":1}'],
    ['name, once escaped', String.raw`{"name":"Rex","\u006eame":"Rex","categoryId":1}`],
    ['an unknown one', '{"name":"Rex","categoryId":1,"x":1,"x":1}'],
    ['__proto__', '{"name":"Rex","categoryId":1,"__proto__":1,"__proto__":1}'],
    ['a number as name', '{"name":"Rex","categoryId":1,"1":1,"1":1}'],
    ['one whose last value is an object', '{"name":"Rex","categoryId":1,"x":1,"x":{"a":1,"b":2}}'],
    ['one within an array', withMember('[[{"a":1},{"b":1,"b":2}]]')],
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

  test.each([
    ['fractions', withMember(`[${'0.1,'.repeat(998)}0.1]`)],
    ['empty arrays', withMember(`[${'[],'.repeat(600)}1]`)],
    [
      'members',
      `{${Array.from({ length: 1000 }, (_, index) => `"m${index}":1`).join(',')},"name":"Rex"}`,
    ],
  ])('more than 1000 values: %s', async (_name, body) => {
    expect(await expectRefused(body)).toContain('1000 values');
  });
});

describe('POST /v1/pets accepts', () => {
  test.each([
    ['white space around the object', ` \r\n\t${rex}\n `],
    ['32 levels of arrays', withMember(nested(31))],
    ['32 levels of objects', withMember(nested(30, '{"a":', '}').replace(':}', ':{}}'))],
    ['brackets without end in a string', withMember(`"${'[{'.repeat(100)}"`)],
    ['colons and quotes in strings', withMember(String.raw`"a:b\":\\:\"c\":"`)],
    ['the same member in different objects', withMember('[{"name":1},{"name":{"name":2}}]')],
    ['990 fractions', withMember(`[${'0.1,'.repeat(989)}0.1]`)],
    ['commas and brackets in strings', withMember(`"${',['.repeat(2000)}"`)],
    [
      'numbers of every form in unknown members',
      withMember('[1e400,-0,1.5e-400,12345678901234567890]'),
    ],
  ])('%s', async (_name, body) => {
    await using app = await openTestApp();
    expect(await readPet(await app.post(body), 201)).toMatchObject({ name: 'Rex', id: 1n });
  });
});

describe('a body of', () => {
  const padding = ' '.repeat(bytesMax - rex.length);

  /** Without a length, as chunked requests arrive. `pieces` are sent one after the other. */
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

  test('65536 bytes is accepted, and 65537 bytes answer 413', async () => {
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

  test('65536 is counted in bytes, not characters', async () => {
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
});

describe('a body whose type is', () => {
  function post({ send }: TestApp, headers: Record<string, string>): Promise<Response> {
    return send('/v1/pets', { method: 'POST', body: Buffer.from(rex), headers });
  }

  test.each([
    'Application/JSON',
    'application/json ; charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json;charset=UTF8',
  ])('%s is accepted', async (type) => {
    await using app = await openTestApp();
    expect((await readPet(await post(app, { 'content-type': type }), 201)).name).toBe('Rex');
  });

  test.each([
    undefined,
    '',
    'text/plain',
    'application/json5',
    'application/merge-patch+json',
    'application/json; charset=utf-16',
    'application/json, text/plain',
    'multipart/form-data; boundary=application/json',
  ])('%j answers 415, and names the accepted types', async (type) => {
    const app = await opening;
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const response = await addingNothing(app, () => post(app, headers));
    expect(response.headers.get('accept')).toBe('application/json');
    await expectError(response, 'unsupported_media_type');
  });

  test.each(['', 'Identity'])(
    'application/json with Content-Encoding "%s" is accepted',
    async (encoding) => {
      await using app = await openTestApp();
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      await readPet(await post(app, headers), 201);
    },
  );

  test.each(['gzip', 'br', 'GZIP', 'identity, gzip', 'x'])(
    'application/json with Content-Encoding: %s answers 415',
    async (encoding) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
      await expectError(await post(await opening, headers), 'unsupported_media_type');
    },
  );
});
