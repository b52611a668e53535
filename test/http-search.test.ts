import { describe, expect, jest, test } from 'bun:test';
import { background, shorten } from '../src/context/context.ts';
import { createSearchTurns } from '../src/http/access/limits.ts';
import { errorAnswer, isFailure } from '../src/http/failure.ts';
import { searchPage } from '../src/storage/records/search-page.ts';
import { expectError, nextCursor, nextPath } from './support/answers.ts';
import { addPets, idsIn, readPages } from './support/catalogue.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

function useFakeTimers(): Disposable {
  jest.useFakeTimers();
  return { [Symbol.dispose]: () => jest.useRealTimers() };
}

/** The ids on each page of a list. */
const walk = async (app: TestApp, path: string) => (await readPages(app, path)).map(idsIn);

async function openWith(names: readonly string[]): Promise<TestApp> {
  const app = await openTestApp();
  await addPets(
    app,
    names.map((name, index) => ({
      name,
      categoryId: BigInt(index % 2),
      status: index % 3 === 0 ? 'sold' : 'available',
    })),
  );
  return app;
}

const search = (name: string, more = '') => `/v1/pets?name=${encodeURIComponent(name)}${more}`;

// With a slow database, a client would get no answer before its connection is closed.
test('a search that has no time left ends its page, and the next one continues', async () => {
  const ids = Array.from({ length: 120 }, (_, index) => BigInt(index + 1));
  const read = async ({ limit, afterId = 0n }: { limit: number; afterId?: bigint | undefined }) =>
    ids
      .filter((id) => id > afterId)
      .slice(0, limit + 1)
      .map((id) => ({ id }));
  const textOf = ({ id }: { id: bigint }) => (id % 40n === 0n ? 'Rex' : 'Max');
  const pages: bigint[][] = [];
  for (let afterId: bigint | undefined; pages.length < 3; ) {
    const page = await searchPage(
      shorten(background, 0),
      { limit: 20, afterId },
      read,
      textOf,
      'rex',
    );
    pages.push(page.items.map(({ id }) => id));
    afterId = page.nextAfterId;
    if (afterId === undefined) break;
  }
  expect(pages).toEqual([[40n], [80n], [120n]]);
});

describe('GET /v1/pets?name', () => {
  test('finds a text without regard to case, accents and Unicode form, and keeps all other marks', async () => {
    const found = [
      ['fluff', 'FLUFF'],
      ['LUFFY', 'Fluffy'],
      ['r\u00e9g', 'RE\u0301GIS'],
      ['re\u0301G', 'R\u00e9gine'],
      ['musli', 'Müsli'],
      ['MÜSLI', 'musli'],
      ['\u3000 rex ', 'Rex'],
      ['\u01f0an', 'J\u030cAN'],
      ['nguyen', 'Nguyễn'],
      ['straße', 'STRAẞE'],
      ['% & ', '100 % & more'],
      ['ΟΔΥΣ', 'ΟΔΥΣΣΕΑΣ'],
      ['σεας', 'ΟΔΥΣΣΕΑΣ'],
      ['ΑΘΗΝΑΣ', 'Αθήνας'],
      ['istanbul', 'İSTANBUL'],
      ['елка', 'Ёлка'],
      ['が', 'か\u3099く'],
      ['हिन्दी', 'हिन्दी'],
      ['\u0958', '\u0915\u093c'],
      ['한', '\u1112\u1161\u11ab국'],
      ['\u1112\u1161\u11ab', '한국'],
      ['\u0301', 'any name'],
      ...["'", '‘', '’', '‛', 'ʻ', 'ʼ', '`', '´', '＇'].flatMap((apostrophe) => [
        [`o${apostrophe}malley`, "O'Malley"],
        ["o'brien", `O${apostrophe}Brien`],
      ]),
      ...['-', '‐', '\u2011', '‒', '–', '—', '―', '−'].flatMap((hyphen) => [
        [`jean${hyphen}luc`, 'Jean-Luc'],
        ['jean-luc', `Jean${hyphen}Luc`],
      ]),
      ...['\u00a0', '\u1680', '\u2003', '\u202f', '\u205f', '\u3000'].flatMap((blank) => [
        [`max${blank}power`, 'Max Power'],
        ['max power', `Max${blank}Power`],
      ]),
      ...['\u00ad', '\u034f', '\u061c', '\u200b', '\u200d', '\u2060', '\ufe0f', '\ufeff'].flatMap(
        (unseen) => [
          [`zo${unseen}ë${unseen}la`, 'Zoela'],
          ['zoela', `${unseen}Zoe${unseen}\u0308la`],
          [`${unseen} rex ${unseen}`, 'Rex'],
        ],
      ),
    ];
    const notFound = [
      ['か', 'が'],
      ['は', 'ぱ'],
      ['कि', 'की'],
      ['हन्दी', 'हिन्दी'],
      ['하', '한'],
      ['ㅎ', '한'],
      ['i', 'ı'],
      ['ı', 'I'],
      ['l', 'ł'],
      ['o', 'ø'],
      ['ss', 'ß'],
      ['_', 'Rex'],
      ['x'.repeat(255), 'x'],
    ];
    const cases = [...found, ...notFound] as [string, string][];
    await using app = await openWith(cases.map(([, name]) => name));
    for (const [index, [text, name]] of cases.entries()) {
      const isFound = (await walk(app, search(text))).flat().includes(index + 1);
      expect([text, name, isFound]).toEqual([text, name, index < found.length]);
    }
  });

  test('combines with the other filters, page by page', async () => {
    await using app = await openWith(Array.from({ length: 12 }, (_, index) => `Rex ${index}`));
    expect(await walk(app, search('rex', '&limit=5'))).toEqual([
      [12, 11, 10, 9, 8],
      [7, 6, 5, 4, 3],
      [2, 1],
    ]);
    expect(await walk(app, search('rex', '&limit=6'))).toEqual([
      [12, 11, 10, 9, 8, 7],
      [6, 5, 4, 3, 2, 1],
    ]);
    expect((await walk(app, search('REX 1', '&status=available'))).flat()).toEqual([12, 11, 2]);
    expect((await walk(app, search('rex', '&categoryId=1&status=sold'))).flat()).toEqual([10, 4]);
    expect((await walk(app, search('rex 1', '&id=1&id=2&id=11'))).flat()).toEqual([11, 2]);
    expect(await walk(app, search('rex', '&sort=id&from=4&limit=5'))).toEqual([
      [4, 5, 6, 7, 8],
      [9, 10, 11, 12],
    ]);
  });

  test('scans 2000 animals for a page, and continues after them, so that each is listed once', async () => {
    await using app = await openTestApp();
    const pets = Array.from({ length: 4500 }, (_, index) => ({
      name: index % 1000 === 7 ? `Needle ${index}` : 'Hay',
      categoryId: 7n,
    }));
    await app.database.write(background, 'createPets', { workspaceId: 1n, pets });
    const needles = [4008, 3008, 2008, 1008, 8];
    expect(await walk(app, search('needle'))).toEqual([[4008, 3008], [2008, 1008], [8]]);
    expect(await walk(app, search('needle', '&sort=id'))).toEqual([
      [8, 1008],
      [2008, 3008],
      [4008],
    ]);
    expect(await walk(app, search('nothing'))).toEqual([[], [], []]);
    expect((await walk(app, search('needle', '&limit=1'))).flat()).toEqual(needles);
    expect((await walk(app, search('hay', '&limit=100'))).flat()).toHaveLength(4495);
  });

  test('lets other requests run before a read or a comparison that follows a long one', async () => {
    let othersWait = false;
    let stepsBeforeOthers = 0;
    const begin = () => {
      if (othersWait) stepsBeforeOthers += 1;
    };
    const read = ({ afterId = 0n }) => {
      begin();
      return Array.from({ length: 51 }, (_, index) => ({ id: afterId + BigInt(index + 1) }));
    };
    const compare = ({ id }: { id: bigint }) => {
      begin();
      if (id % 25n !== 0n) return 'Hay';
      othersWait = true;
      setImmediate(() => {
        othersWait = false;
      });
      for (const until = performance.now() + 1; performance.now() < until; );
      return 'Hay';
    };
    await searchPage(background, { limit: 1 }, read, compare, 'needle');
    expect(stepsBeforeOthers).toBe(0);
  });

  test('waits while four others run, and is refused after two seconds', async () => {
    using _timers = useFakeTimers();
    const searchInTurn = createSearchTurns();
    const { signal } = new AbortController();
    const ends = Array.from({ length: 4 }, () => Promise.withResolvers<string>());
    const running = ends.map(({ promise }) => searchInTurn(signal, () => promise));
    const ofLeftClient = searchInTurn(AbortSignal.abort(), () => 'ran');
    const inTime = searchInTurn(signal, () => 'ran');
    jest.advanceTimersByTime(1999);
    ends[0]?.resolve('found');
    expect(await Promise.all([running[0], inTime])).toEqual(['found', 'ran']);
    expect(await ofLeftClient).toMatchObject({ code: 'unavailable' });
    const last = Promise.withResolvers<string>();
    const fourth = searchInTurn(signal, () => last.promise);
    const late = searchInTurn(signal, () => 'ran');
    // The four others still run.
    jest.advanceTimersByTime(2000);
    const refused = await late;
    const answer = { httpStatus: 503, headers: { 'retry-after': '1' } };
    expect(isFailure(refused) && errorAnswer(refused)).toMatchObject(answer);
    last.resolve('found');
    expect(await fourth).toBe('found');
    expect(await searchInTurn(signal, () => 'ran')).toBe('ran');
    for (const { resolve } of ends) resolve('found');
    expect(await Promise.all(running)).toHaveLength(4);
  });

  test('rejects texts that no name can contain, and a cursor of another search', async () => {
    await using app = await openWith(['Rex 1', 'Rex 2', 'Rex 3']);
    const tooLong = [`name=${'x'.repeat(256)}`, `name=${'x'.repeat(255)}%20`];
    for (const query of ['name=', 'name=%20%E3%80%80', ...tooLong, 'name=a&name=b']) {
      await expectError(await app.send(`/v1/pets?${query}`), 'invalid_parameter');
    }
    const first = await app.send(search('rex', '&limit=1'));
    const cursor = nextCursor(first);
    expect(nextPath(first)).toContain('name=rex');
    const refused = await app.send(search('max', `&cursor=${cursor}`));
    expect(await expectError(refused, 'invalid_cursor')).toContain('sort must not change');
  });
});
