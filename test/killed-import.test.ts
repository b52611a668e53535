import { expect, test } from 'bun:test';
import type { Import, RowResults } from '../console/src/contract.ts';
import { background } from '../src/context/context.ts';
import { engineNames, prepareData } from './support/engines.ts';
import { startServerProcess } from './support/server-process.ts';

const rowsOfBody = 200;
const rowCount = 4000;
const path = `/console/v1/imports/${'a'.repeat(64)}`;

/** A browser that is signed in with a key. */
async function openBrowser(serverOrigin: string, apiKey: string) {
  const origin = serverOrigin.replace('127.0.0.1', 'localhost');
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const post = (path: string, body: unknown, cookie = '') =>
    fetch(origin + path, {
      method: 'POST',
      headers: { ...headers, cookie },
      body: JSON.stringify(body),
    });
  const signedIn = await post('/console/v1/session', { apiKey });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const postRows = async (path: string, rows: readonly unknown[]) =>
    ((await (await post(path, { rows }, cookie)).json()) as RowResults).results;
  return {
    addRows: (first: number) =>
      postRows(
        `${path}/pets`,
        Array.from({ length: rowsOfBody }, (_, index) => {
          const row = first + index;
          return { row, pet: { name: `Rex ${row}`, categoryId: 7 } };
        }),
      ),
    undoRows: (rows: readonly number[]) => postRows(`${path}/undo`, rows),
    async readImport() {
      const answer = await fetch(origin + path, { headers: { ...headers, cookie } });
      return (await answer.json()) as Import;
    },
  };
}

test.each(engineNames)(
  'an import on %s whose server and browser are killed continues in another browser: each row is added once, and Undo removes all',
  async (engine) => {
    await using data = await prepareData(engine);
    await using server = await startServerProcess(data.url);
    const { firstKey: key = '' } = server;
    const killed = await openBrowser(server.origin, key);
    let answered = 0;
    const running = (async () => {
      for (let first = 0; first < rowCount; first += rowsOfBody) {
        answered += (await killed.addRows(first)).length;
        // The next request is then on its way.
        if (answered === 5 * rowsOfBody) process.kill(server.pid, 'SIGKILL');
      }
    })();
    await running.catch(() => {});
    await server.ended;
    expect(answered).toBeLessThan(rowCount);

    await using again = await startServerProcess(data.url);
    const browser = await openBrowser(again.origin, key);
    const { rows } = await browser.readImport();
    expect(rows.length).toBeGreaterThanOrEqual(answered);
    const done = new Set(rows.map(({ row }) => row));
    const results: RowResults['results'][] = [];
    for (let first = 0; first < rowCount; first += rowsOfBody) {
      results.push(await browser.addRows(first));
    }
    expect(results.flat().map(({ status }) => status)).toEqual(
      Array.from({ length: rowCount }, (_, row) => (done.has(row) ? 200 : 201)),
    );
    const read = async () => {
      await using database = await data.open();
      return database.readInventory(background, 1n);
    };
    expect((await read()).available).toBe(rowCount);
    for (let first = 0; first < rowCount; first += rowsOfBody) {
      const undone = Array.from({ length: rowsOfBody }, (_, index) => first + index);
      const statuses = (await browser.undoRows(undone)).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set([204]));
    }
    expect((await read()).available).toBe(0);
  },
);
