// Imports rows and then changes their animals, one body after the other, as a page of the console does. It is a process of its own,
// so that it has a core of its own.

import type { RowResults } from '../console/src/contract.ts';

export interface ManyPlan {
  /** Names this machine `localhost`, because a sign-in needs it. */
  readonly origin: string;
  readonly apiKey: string;
  readonly rows: number;
  /** Of the sheet, another one each time. */
  readonly source: string;
}

const rowsOfBody = 500;

const plan: ManyPlan = JSON.parse(process.argv[2] ?? '');
const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
const signedIn = await fetch(`${plan.origin}/console/v1/session`, {
  method: 'POST',
  headers,
  body: JSON.stringify({ apiKey: plan.apiKey }),
});
const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';

async function send(path: string, rows: readonly object[]): Promise<RowResults['results']> {
  const response = await fetch(`${plan.origin}/console/v1/${path}`, {
    method: 'POST',
    headers: { ...headers, cookie },
    body: JSON.stringify({ rows }),
  });
  const { results }: RowResults = JSON.parse(await response.text());
  if (results.length < rows.length || results.some(({ status }) => status >= 400)) {
    throw new Error(`${path} has not done every row`);
  }
  return results;
}

const added: RowResults['results'][] = [];
for (let first = 0; first < plan.rows; first += rowsOfBody) {
  const rows = Array.from({ length: rowsOfBody }, (_, index) => {
    const row = first + index;
    return { row, pet: { name: `Bella ${row}`, categoryId: 1 + (row % 30) } };
  });
  added.push([...(await send(`imports/${plan.source}/pets`, rows))]);
}
for (const results of added) {
  const rows = results.map(({ id, etag }) => ({
    ...{ key: `bench-${plan.source}-${id}`, action: 'update', id, ifMatch: etag },
    pet: { status: 'sold' },
  }));
  await send('pet-changes', rows);
}
