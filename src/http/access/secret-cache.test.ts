import { describe, expect, test } from 'bun:test';
import { background } from '../../context/context.ts';
import { createSecretCache } from './secret-cache.ts';

interface Found {
  readonly name: string;
  readonly validUntil: number;
}

/** A cache over secrets that the test changes. With `slow`, each query waits until the test lets it end. */
function openCache({ staleMillisecondsMax = 0, isSlow = false } = {}) {
  const state = { accessVersion: 1, now: 0 };
  const stored = new Map<string, Found>();
  const queries: (readonly string[])[] = [];
  const held: (() => void)[] = [];
  const wait = () => new Promise<void>((resolve) => held.push(resolve));
  const cache = createSecretCache<Found>(
    {
      dataVersion: () => state.accessVersion,
      accessVersion: () => state.accessVersion,
      staleMillisecondsMax,
    },
    () => state.now,
    {
      canExist: (text) => text !== 'malformed',
      findOne(_context, digest) {
        queries.push([digest]);
        const found = stored.get(digest);
        return isSlow ? wait().then(() => found) : found;
      },
      async findMany(_context, digests) {
        queries.push(digests);
        await wait();
        return new Map(
          digests.flatMap((each) => {
            const found = stored.get(each);
            return found === undefined ? [] : [[each, found] as const];
          }),
        );
      },
    },
  );
  const nameOf = async (digest: string, text = digest) =>
    (await cache(background, digest, text))?.name;
  const add = (name: string, validUntil = 1000) => stored.set(name, { name, validUntil });
  return { state, stored, queries, held, nameOf, add };
}

describe('a cached secret', () => {
  test('is looked up once until access can have changed, and is rejected at the next request after it was revoked', async () => {
    const { state, stored, queries, nameOf, add } = openCache();
    add('rex');
    for (let times = 0; times < 3; times += 1) expect(await nameOf('rex')).toBe('rex');
    expect(queries).toEqual([['rex']]);
    stored.delete('rex');
    state.accessVersion += 1;
    expect(await nameOf('rex')).toBeUndefined();
    add('rex');
    state.accessVersion += 1;
    expect(await nameOf('rex')).toBe('rex');
  });

  test('is rejected from the moment at which it ends, without another query', async () => {
    const { state, queries, nameOf, add } = openCache();
    add('rex', 500);
    expect(await nameOf('rex')).toBe('rex');
    state.now = 499;
    expect(await nameOf('rex')).toBe('rex');
    state.now = 500;
    expect(await nameOf('rex')).toBeUndefined();
    expect(queries).toHaveLength(1);
  });

  test('that does not exist costs one query, and is valid as soon as it is created', async () => {
    const { state, queries, nameOf, add } = openCache();
    for (let times = 0; times < 3; times += 1) expect(await nameOf('new')).toBeUndefined();
    expect(await nameOf('other', 'malformed')).toBeUndefined();
    expect(queries).toEqual([['new']]);
    add('new');
    state.accessVersion += 1;
    expect(await nameOf('new')).toBe('new');
  });

  test('that another server created is valid at once, although its commit is seen late', async () => {
    const { nameOf, add } = openCache({ staleMillisecondsMax: 1000 });
    expect(await nameOf('new')).toBeUndefined();
    add('new');
    expect(await nameOf('new')).toBe('new');
  });

  test('shares one query with all others that arrive during a query', async () => {
    const { queries, held, nameOf, add } = openCache({ isSlow: true });
    for (const name of ['a', 'b', 'c']) add(name);
    const first = nameOf('a');
    const others = ['b', 'c', 'b', 'none'].map((digest) => nameOf(digest));
    held[0]?.();
    expect(await first).toBe('a');
    while (held.length < 2) await new Promise(setImmediate);
    held[1]?.();
    expect(await Promise.all(others)).toEqual(['b', 'c', 'b', undefined]);
    expect(queries).toEqual([['a'], ['b', 'c', 'none']]);
    expect(await nameOf('c')).toBe('c');
    expect(queries).toHaveLength(2);
  });

  test('that was read before a revocation and arrives after it is looked up again', async () => {
    const { state, stored, held, queries, nameOf, add } = openCache({ isSlow: true });
    add('rex');
    const early = nameOf('rex');
    stored.delete('rex');
    state.accessVersion += 1;
    held[0]?.();
    expect(await early).toBe('rex');
    const late = nameOf('rex');
    while (held.length < 2) await new Promise(setImmediate);
    held[1]?.();
    expect(await late).toBeUndefined();
    expect(queries).toHaveLength(2);
  });
});
