import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { NewPet } from '../src/domain/pet.ts';
import { expectError, nextCursor } from './support/answers.ts';
import { addPets, equalPets, readAllIds } from './support/catalogue.ts';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

describe('a walk over the pages', () => {
  test('has every animal that stays exactly once while others come and go, in both directions', async () => {
    await using app = await openTestApp();
    /** The animals of the model, by id. */
    const pets = new Map<number, NewPet>();
    let lastId = 0;
    const add = async (added: readonly NewPet[]) => {
      await addPets(app, added);
      for (const pet of added) pets.set(++lastId, pet);
    };
    const remove = async (ids: readonly number[]) => {
      await Promise.all(ids.map((id) => app.send(`/v1/pets/${id}`, { method: 'DELETE' })));
      for (const id of ids) pets.delete(id);
    };
    const pet = fc.record({
      name: fc.constantFrom('Müsli', 'Rex'),
      categoryId: fc.constantFrom(1n, 2n),
      status: fc.constantFrom('available', 'sold'),
    });
    const filter = fc.record(
      {
        status: fc.constantFrom('available', 'sold'),
        categoryId: fc.constantFrom(1n, 2n),
        name: fc.constantFrom('musli', 'Rex'),
      },
      { requiredKeys: [] },
    );
    const limit = fc.integer({ min: 1, max: 7 });
    const change = fc.record({ added: fc.array(pet, { maxLength: 3 }), gone: fc.nat(), limit });
    const property = fc.asyncProperty(
      fc.array(pet, { maxLength: 30 }),
      filter,
      fc.boolean(),
      fc.option(fc.integer({ min: -5, max: 35 }), { nil: undefined }),
      fc.array(change, { minLength: 1 }),
      async (first, filter, isRising, from, changes) => {
        await remove([...pets.keys()]);
        const start = from === undefined ? undefined : lastId + from;
        await add(first);
        const query = new URLSearchParams({ limit: '3', sort: isRising ? 'id' : '-id' });
        for (const [key, value] of Object.entries(filter)) query.set(key, String(value));
        if (start !== undefined) query.set('from', String(start));
        const before = new Map(pets);
        let page = 0;
        const ids = await readAllIds(app, `/v1/pets?${query}`, async (next) => {
          const { added = [], gone = 0, limit = 1 } = changes[page++ % changes.length] ?? {};
          await remove([...pets.keys()].filter((_, index) => index === gone % 40));
          // Otherwise a walk towards the newest might not end.
          if (page < 9) await add(added);
          return next?.replace(/limit=[0-9]+/, `limit=${limit}`);
        });
        const sign = isRising ? 1 : -1;
        expect(ids).toEqual(ids.toSorted((left, right) => (left - right) * sign));
        const expected = [...before.entries()]
          .filter(([id]) => pets.has(id) && (id - (start ?? id)) * sign >= 0)
          .filter(([, { status }]) => status === (filter.status ?? status))
          .filter(([, { categoryId }]) => categoryId === (filter.categoryId ?? categoryId))
          .filter(([, { name }]) => name === (filter.name?.replace('mu', 'Mü') ?? name))
          .map(([id]) => id);
        expect(ids.filter((id) => before.has(id) && pets.has(id)).toSorted()).toEqual(
          expected.toSorted(),
        );
      },
    );
    await fc.assert(property, { numRuns: 200 });
  }, 60_000);
});

describe('the address in Link', () => {
  test('begins with the public address of the environment if it is configured', async () => {
    const publicUrls = {
      production: 'https://animals.example/store/v1',
      staging: 'https://staging.example/v1',
    };
    await using app = await openTestApp({ publicUrls });
    await addPets(app, equalPets(2));
    const link = (await app.send('/v1/pets?limit=1')).headers.get('link');
    expect(link).toStartWith('<https://animals.example/store/v1/pets?limit=1&cursor=');
  });
});

test('begins with the Host of its own request', async () => {
  await using app = await openTestApp();
  await addPets(app, equalPets(2));
  for (const host of ['one.example', '[::1]:8080', 'one.example']) {
    const request = new Request(`http://${host}/v1/pets?limit=1`, {
      headers: { host, authorization: `Bearer ${app.apiKey}` },
    });
    const response = await app.app(request);
    expect(response.headers.get('link')).toStartWith(`<http://${host}/v1/pets?limit=1&cursor=`);
  }
});

describe('a cursor', () => {
  const opening = openSharedApp((app) => addPets(app, equalPets(12)));

  async function cursorOf({ send }: TestApp, query: string): Promise<string> {
    return nextCursor(await send(`/v1/pets?limit=2${query}`));
  }

  test.each([
    ['', '&status=available'],
    ['&status=available', ''],
    ['&status=available', '&status=sold'],
    ['&id=1&id=2&id=3', ''],
    ['&id=1&id=2&id=3', '&id=1&id=2'],
    ['&id=1&id=2&id=3', '&id=1&id=2&id=3&status=available'],
    ['', '&id=1'],
    ['&sort=id', ''],
    ['', '&sort=id'],
    ['&sort=id&status=available', '&status=available'],
    ['&name=r&sort=id', '&name=r%26id'],
  ])('made for "%s" answers 400 invalid_cursor with "%s"', async (made, used) => {
    const app = await opening;
    const cursor = await cursorOf(app, made);
    expect((await app.send(`/v1/pets?cursor=${cursor}${made}`)).status).toBe(200);
    await expectError(await app.send(`/v1/pets?cursor=${cursor}${used}`), 'invalid_cursor');
  });

  test('answers 400 invalid_cursor when any character was changed', async () => {
    const app = await opening;
    const cursor = await cursorOf(app, '');
    const accepted: string[] = [];
    for (const [index, character] of [...cursor].entries()) {
      const [before, after] = [cursor.slice(0, index), cursor.slice(index + 1)];
      for (const other of [
        '',
        character + character,
        character === 'A' ? 'B' : 'A',
        '-',
        '%00',
        '=',
      ]) {
        const tampered = before + other + after;
        if (tampered === cursor) continue;
        const response = await app.send(`/v1/pets?cursor=${tampered}`);
        if (response.ok) accepted.push(tampered);
        else await expectError(response, 'invalid_cursor');
      }
    }
    expect(accepted).toEqual([]);
  });

  test('answers 400 invalid_cursor when it is encoded in another way', async () => {
    const app = await opening;
    const cursor = await cursorOf(app, '');
    // The last character has bits that base64 does not use and that decoders skip.
    expect(cursor.length % 4).toBe(2);
    const last = cursor.charCodeAt(cursor.length - 1);
    const written = cursor.slice(0, -1) + String.fromCharCode(last + 1);
    expect(atob(written)).toBe(atob(cursor));
    await expectError(await app.send(`/v1/pets?cursor=${written}`), 'invalid_cursor');
  });

  test('answers 400 invalid_parameter when it is empty or given twice', async () => {
    const app = await opening;
    const cursor = await cursorOf(app, '');
    for (const query of ['cursor=', `cursor=${cursor}&cursor=${cursor}`]) {
      await expectError(await app.send(`/v1/pets?${query}`), 'invalid_parameter');
    }
  });
});
