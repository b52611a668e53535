import { describe, expect, test } from 'bun:test';
import { addWorkspace } from './support/catalogue.ts';
import { type Line, openConsoleService } from './support/console-service.ts';
import { signInAsOwner } from './support/console-session.ts';
import { openImporter } from './support/importer.ts';
import { openTestApp, type TestApp } from './support/test-app.ts';

const header = 'name,category,status\n';

/** Rows of a file. Each name is there twice, because two animals can have one name. */
function fileOf(count: number, category = 'Mice'): string {
  const rows = Array.from({ length: count }, (_, row) => `Pet ${row >> 1},${category},available`);
  return `${header}${rows.join('\n')}\n`;
}

async function openBrowser(app: TestApp, line?: Line, workspace?: string) {
  const session = await signInAsOwner(app, workspace);
  return openImporter(openConsoleService(session, line));
}

interface StoredPet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

async function readPets(app: TestApp): Promise<StoredPet[]> {
  const pets: StoredPet[] = [];
  for (let from = 0; ; from = Number(pets.at(-1)?.id) + 1) {
    const answer = await app.send(`/v1/pets?limit=100&sort=id&from=${from}`);
    const page = (await answer.json()) as StoredPet[];
    pets.push(...page);
    if (page.length < 100) return pets;
  }
}

const rowOf = ({ name, categoryId, status }: StoredPet) => `${name},${categoryId},${status}`;

/** All animals as rows of a file. */
async function readRowsOf(app: TestApp): Promise<string[]> {
  return (await readPets(app)).map(rowOf).toSorted();
}

const rowsIn = (file: string, category: number) =>
  file
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.replace('Mice', `${category}`))
    .toSorted();

/** Loses every third request or its answer, and those that are marked. */
function badLine(): Line {
  let count = 0;
  return async (_path, send) => {
    count += 1;
    if (count % 3 !== 0) return send();
    if (count % 2 === 0) await send();
    throw new TypeError('The connection was closed');
  };
}

describe('an import', () => {
  test('whose browser is killed continues in another one, and a third one undoes it: no row is added twice', async () => {
    await using app = await openTestApp();
    await app.post({ name: 'Pet 1', categoryId: 5 });
    const file = fileOf(400);
    const killed = await openBrowser(app, async (path, send) => {
      const answer = await send();
      // After the third request with rows, its answer is lost.
      if (path.endsWith('/pets') && (await readPets(app)).length > 300) killed.kill();
      return answer;
    });
    const { error } = await killed.start(await killed.choose(file));
    expect(error).toHaveProperty('name', 'AbortError');
    const before = (await readPets(app)).length - 1;
    expect(before).toBe(350);

    const other = await openBrowser(app);
    const chosen = await other.choose(file);
    expect([chosen.record.rows.size, chosen.plan.rows.length]).toEqual([before, 400 - before]);
    expect((await other.start(chosen)).counts).toEqual({ added: 50, changed: 0, there: 0 });
    expect(await readRowsOf(app)).toEqual([...rowsIn(file, 1), 'Pet 1,5,available'].toSorted());

    const third = await openBrowser(app);
    const { removed, kept, categoryCount } = await third.undo(await third.choose(file));
    expect({ removed, kept, categoryCount }).toEqual({ removed: 400, kept: [], categoryCount: 1 });
    expect(await readRowsOf(app)).toEqual(['Pet 1,5,available']);
  });

  test('over a bad connection adds each row once, counts those whose answer was lost as added, and Undo removes them and the new category', async () => {
    await using app = await openTestApp();
    const browser = await openBrowser(app, badLine());
    const file = fileOf(60);
    const chosen = await browser.choose(file);
    const { counts, results } = await browser.start(chosen);
    expect(counts).toEqual({ added: 60, changed: 0, there: 0 });
    expect(await readRowsOf(app)).toEqual(rowsIn(file, 1));
    const rows = [...results.rows.keys()];
    const undone = await browser.undo(chosen, { rows, categoryIds: results.categoryIds });
    expect([undone.error, undone.removed, undone.kept]).toEqual([undefined, 60, []]);
    expect(undone.categoryCount).toBe(1);
    expect(await readPets(app)).toEqual([]);
    expect(await (await app.send('/v1/categories')).json()).toEqual([]);
  }, 60_000);

  test('in two browsers at once adds each row once, and each undoes the rows of its own run', async () => {
    await using app = await openTestApp();
    const [one, two] = [await openBrowser(app), await openBrowser(app)];
    const file = fileOf(600, '7');
    const [first, second] = [await one.choose(file), await two.choose(file)];
    const [firstEnd, secondEnd] = await Promise.all([one.start(first), two.start(second)]);
    const counts = [firstEnd, secondEnd].map(
      ({ counts: { added = 0, there = 0 } }) => added + there,
    );
    expect(counts).toEqual([600, 600]);
    const { added = 0 } = firstEnd.counts;
    expect(added + (secondEnd.counts.added ?? 0)).toBe(600);
    expect(await readRowsOf(app)).toEqual(rowsIn(file, 7));
    const rows = [...firstEnd.results.rows].flatMap(([row, end]) => (end === 'added' ? row : []));
    const undone = await one.undo(first, { rows, categoryIds: new Set() });
    expect([undone.removed, (await readPets(app)).length]).toEqual([added, 600 - added]);
  });

  test('that is stopped continues with the same rows, and so does its Undo', async () => {
    await using app = await openTestApp();
    const browser = await openBrowser(app);
    const file = fileOf(400, '7');
    const chosen = await browser.choose(file);
    browser.onProgress = () => browser.stop();
    const { results, error, counts } = await browser.start(chosen);
    expect(error).toHaveProperty('name', 'AbortError');
    expect((await readPets(app)).length).toBe(counts.added ?? 0);
    browser.onProgress = () => {};
    const end = await browser.start(chosen, results);
    expect([end.error, end.counts.added]).toEqual([undefined, 400]);
    browser.onProgress = () => browser.stop();
    const stopped = await browser.undo(await browser.choose(file));
    expect([stopped.removed, Object(stopped.error).name]).toEqual([50, 'AbortError']);
    browser.onProgress = () => {};
    expect((await browser.undo(await browser.choose(file))).removed).toBe(350);
    expect(await readPets(app)).toEqual([]);
  });

  test('adds rows again whose animals were deleted or undone, once, also if two browsers do', async () => {
    await using app = await openTestApp();
    const browser = await openBrowser(app);
    const file = fileOf(6);
    await browser.start(await browser.choose(file));
    for (const path of ['pets/2', 'pets/3']) await app.write('DELETE', `/v1/${path}`);
    const chosen = await browser.choose(file);
    expect([chosen.record.rows.size, chosen.record.deleted.size]).toEqual([4, 2]);
    const other = await openBrowser(app, badLine());
    const ends = await Promise.all([browser.start(chosen), other.start(await other.choose(file))]);
    expect(ends.map(({ error }) => error)).toEqual([undefined, undefined]);
    expect(await readRowsOf(app)).toEqual(rowsIn(file, 1));
    const again = await browser.choose(file);
    expect([again.record.rows.size, again.plan.rows.length]).toEqual([6, 0]);
    expect((await browser.undo(again)).removed).toBe(6);
    const { counts } = await browser.start(await browser.choose(file));
    expect(counts).toEqual({ added: 6, changed: 0, there: 0 });
    expect(await readRowsOf(app)).toEqual(rowsIn(file, 2));
  }, 60_000);

  test('that was prepared before another import finds its animals, one for each row', async () => {
    await using app = await openTestApp();
    const [first, second] = [await openBrowser(app), await openBrowser(app)];
    const kittens = `${header}Kitten,7,sold\nKitten,7,sold\nMia,7,sold\n`;
    const prepared = await second.choose(kittens);
    await first.start(await first.choose(`${header}Kitten,7,sold\nIda,7,sold\n`));
    const { counts } = await second.start(prepared);
    expect(counts).toEqual({ added: 2, changed: 0, there: 1 });
    const names = (await readPets(app)).map(({ name }) => name).toSorted();
    expect(names).toEqual(['Ida', 'Kitten', 'Kitten', 'Mia']);
    // The same file, imported elsewhere after it was chosen here.
    const late = await first.choose(`${header}Zoe,7,sold\n`);
    await second.start(await second.choose(`${header}Zoe,7,sold\n`));
    expect((await first.start(late)).counts).toEqual({ added: 0, changed: 0, there: 1 });
  });

  test('adds the other rows if the server rejects one, and says why', async () => {
    await using app = await openTestApp();
    const browser = await openBrowser(app);
    const chosen = await browser.choose(fileOf(20, '7'));
    const rows = chosen.plan.rows.map((row, index) =>
      index === 3 ? { ...row, draft: { ...row.draft, name: 'x'.repeat(256) } } : row,
    );
    const { counts, faults } = await browser.start({ ...chosen, plan: { ...chosen.plan, rows } });
    expect(counts.added).toBe(19);
    expect(faults).toEqual([expect.stringMatching(/^The server rejected a value: Name/)]);
  });

  test('asks for no events, so that it can be undone however long the server keeps them', async () => {
    await using app = await openTestApp();
    const paths = new Set<string>();
    const browser = await openBrowser(app, (path, send) => {
      paths.add(path.replace(/\?.*/, '').replaceAll(/[0-9a-f]{64}/g, 'FILE'));
      return send();
    });
    const file = fileOf(3);
    await browser.start(await browser.choose(file));
    await browser.undo(await browser.choose(file));
    expect([...paths].filter((path) => path.includes('events'))).toEqual([]);
    expect(paths).toContain('/console/v1/imports/FILE/pets');
    expect(await readPets(app)).toEqual([]);
  });

  test('of the same file is another one in another workspace', async () => {
    await using app = await openTestApp();
    await addWorkspace(app, 'annex');
    const [browser, annex] = [await openBrowser(app), await openBrowser(app, undefined, 'annex')];
    const file = fileOf(4, '7');
    await browser.start(await browser.choose(file));
    expect((await annex.start(await annex.choose(file))).counts.added).toBe(4);
    expect((await annex.undo(await annex.choose(file))).removed).toBe(4);
    expect(await readRowsOf(app)).toEqual(rowsIn(file, 7));
    expect((await (await openBrowser(app)).choose(file)).record.rows.size).toBe(4);
  });
});

describe('an import of an export', () => {
  const exported = 'id,name,categoryId,category,status\n';

  test('creates categories with their numbers, and Undo in another browser removes the empty ones', async () => {
    await using app = await openTestApp();
    await app.write('POST', '/v1/categories', { name: 'Owls' });
    const file = `${exported}71,Rex,7,Dogs,sold\n72,Tom,12,Cats,sold\n73,Ida,12,Cats,sold\n`;
    const browser = await openBrowser(app);
    const chosen = await browser.choose(file, { mode: 'add' });
    // Others create categories after the file was chosen: one with its name, one with its number.
    await app.write('PUT', '/v1/categories/12', { name: 'Fish' });
    expect((await browser.start(chosen)).counts.added).toBe(3);
    const categories = [
      { id: 12, name: 'Fish' },
      { id: 7, name: 'Dogs' },
      { id: 2, name: 'Cats' },
      { id: 1, name: 'Owls' },
    ];
    expect(await (await app.send('/v1/categories')).json()).toEqual(categories);
    expect(await readRowsOf(app)).toEqual(['Ida,2,sold', 'Rex,7,sold', 'Tom,2,sold']);
    await app.write('PATCH', '/v1/pets/1', { name: 'Max' });
    const other = await openBrowser(app);
    const undone = await other.undo(await other.choose(file, { mode: 'add' }));
    expect([undone.removed, undone.categoryCount]).toEqual([2, 1]);
    expect(await (await app.send('/v1/categories')).json()).toEqual(
      categories.filter(({ name }) => name !== 'Cats'),
    );
  });

  test('changes animals by their numbers, but none that was changed since it was shown, and repeats what was lost', async () => {
    await using app = await openTestApp();
    for (const name of ['Rex', 'Tom', 'Mia', 'Ida', 'Bo']) {
      await app.post({ name, categoryId: 7, status: 'sold' });
    }
    const browser = await openBrowser(app, badLine());
    const file = 'id,name\n1,Max\n2,Tomcat\n3,Mimi\n4,Ida\n5,Bob\n';
    const chosen = await browser.choose(file, { mode: 'update' });
    await app.write('PATCH', '/v1/pets/2', { name: 'Tommy' });
    // The file has no status, so that this is no other change.
    await app.write('PATCH', '/v1/pets/3', { status: 'available' });
    await app.write('PATCH', '/v1/pets/5', { name: 'Bob' });
    const { counts, faults } = await browser.start(chosen);
    expect(counts).toEqual({ added: 0, changed: 2, there: 1 });
    expect(faults).toEqual(['It was changed since it was shown.']);
    const rows = ['Bob,7,sold', 'Ida,7,sold', 'Max,7,sold', 'Mimi,7,available', 'Tommy,7,sold'];
    expect(await readRowsOf(app)).toEqual(rows);
    const gone = await browser.choose('id,name\n1,Gone\n', { mode: 'update' });
    await app.write('DELETE', '/v1/pets/1');
    expect((await browser.start(gone)).faults).toEqual([
      'No animal has the number 1. It may be deleted.',
    ]);
  }, 60_000);
});
