import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { expectError, readIds, readPet } from './support/answers.ts';
import { addingNothing } from './support/catalogue.ts';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp } from './support/test-app.ts';

const opening = openSharedApp();

const rex = { name: 'Rex', categoryId: 1 };
const strict = { prefer: 'handling=strict' };

describe('Prefer: handling=strict', () => {
  test('answers 400 unknown_field with the name of a parameter that a list does not have', async () => {
    const { send } = await opening;
    const path = '/v1/pets?limit=5&color=red&Limit=5&color=blue';
    const message = await expectError(await send(path, { headers: strict }), 'unknown_field');
    expect(message).toContain('"color"');
    expect(message).toContain('"Limit"');
    expect(message.split('; ')).toHaveLength(2);
  });

  test.each(['id', 'Name', 'color', '__proto__', 'constructor', ''])(
    'answers 400 unknown_field to the member %j of a new animal, and adds nothing',
    async (name) => {
      const app = await opening;
      const body = `{"name":"Rex","categoryId":1,${JSON.stringify(name)}:1}`;
      const response = await addingNothing(app, () => app.post(body, strict));
      const message = await expectError(response, 'unknown_field');
      expect(message).toContain(JSON.stringify(name));
    },
  );

  test('is echoed in Preference-Applied if the request has nothing unknown', async () => {
    await using app = await openTestApp();
    const created = await app.post({ ...rex, status: 'sold' }, strict);
    await readPet(created, 201);
    const path = '/v1/pets?limit=5&status=sold&id=1';
    // The same page without the preference is cached separately.
    expect((await app.send(path)).headers.get('preference-applied')).toBeNull();
    const listed = await app.send(path, { headers: strict });
    const one = await app.send('/v1/pets/1', { headers: strict });
    for (const response of [created, listed, one]) {
      expect(response.ok).toBe(true);
      expect(response.headers.get('preference-applied')).toBe('handling=strict');
    }
  });

  test('is not echoed by an error', async () => {
    const { send, post } = await opening;
    const refused = [
      await send('/v1/pets?color=red', { headers: strict }),
      await send('/v1/pets?cursor=x', { headers: strict }),
      await send('/v1/pets/404', { headers: strict }),
      await post({}, strict),
    ];
    for (const response of refused) {
      expect(response.ok).toBe(false);
      expect(response.headers.get('preference-applied')).toBeNull();
    }
  });

  test.each([
    'handling=strict',
    'Handling=STRICT',
    'handling="strict"',
    'respond-async, handling=strict',
    'return=minimal; a=b; c, handling=strict; x="y, z"',
    'handling=strict, handling=lenient',
  ])('is read from %j', async (prefer) => {
    const { send } = await opening;
    await expectError(await send('/v1/pets?color=red', { headers: { prefer } }), 'unknown_field');
  });
});

describe('without it', () => {
  test.each([
    undefined,
    'handling=lenient',
    'handling',
    'respond-async; handling=strict',
    'x="handling=strict"',
    'handling=lenient, handling=strict',
    'handling=stricter',
  ])('an unknown parameter is ignored: %j', async (prefer) => {
    await using app = await openTestApp();
    const headers = prefer === undefined ? {} : { prefer };
    const created = await app.post({ ...rex, color: 'red', id: 99 }, headers);
    expect((await readPet(created, 201)).id).toBe(1n);
    const listed = await app.send('/v1/pets?color=red', { headers });
    expect(await readIds(listed)).toEqual([1]);
    for (const response of [created, listed]) {
      expect(response.headers.get('preference-applied')).toBeNull();
    }
  });
});

describe('an invalid Prefer answers 400 invalid_header:', () => {
  test.each([
    '=',
    'handling=',
    'handling=strict strict',
    'handling="strict',
    'handling=stri ct',
    'handling=(strict)',
    'a b',
    'a;;@',
    'handl\u00efng=strict',
    `a${';b'.repeat(600)}`,
  ])('%j', async (prefer) => {
    const app = await opening;
    const headers = { prefer };
    const created = await addingNothing(app, () => app.post(rex, headers));
    await expectError(created, 'invalid_header');
    await expectError(await app.send('/v1/pets', { headers }), 'invalid_header');
    await expectError(await app.send('/v1/pets/1', { headers }), 'invalid_header');
  });
});

test('a Prefer that is designed to be parsed slowly delays no request', () => {
  const module = join(import.meta.dir, '../src/http/request/prefer.ts');
  const pieces = [' ;', '; ', 'a; ', 'a=b ;', ', ', ' \t', 'a = ', '"\\', 'a="b",', "''"];
  const headers = pieces.map((piece) => `a${piece.repeat(Math.floor(1000 / piece.length))}@`);
  const script = `
    import { readPrefersStrict } from ${JSON.stringify(module)};
    for (let round = 0; round < 50; round += 1) {
      for (const header of ${JSON.stringify(headers)}) readPrefersStrict(header);
    }`;
  // In its own process, because only a kill ends a regular expression that backtracks for ever.
  // Parsing in one pass takes less than a tenth of a second for all.
  const child = Bun.spawnSync([process.execPath, '-e', script], { timeout: 10_000 });
  expect(child.stderr.toString()).toBe('');
  expect(child.exitCode).toBe(0);
});
