import { describe, expect, test } from 'bun:test';
import { createAnimalStore } from '../client/src/index.ts';
import { findInCatalogue } from '../console/src/import/catalogue-match.ts';
import type { PlannedRow } from '../console/src/import/import-plan.ts';
import type { NewPet, PetStatus } from '../src/domain/pet.ts';
import { addPets } from './support/catalogue.ts';
import { openTestServer } from './support/test-server.ts';

type Row = readonly [name: string, category: string, status?: PetStatus];

/** Rows with their indexes. A category that is no number is new. */
function rowsOf(rows: readonly Row[]): PlannedRow[] {
  return rows.map(([name, text, status = 'available'], index) => {
    const kind = /^-?\d+$/.test(text) ? 'number' : 'new';
    const draft = { name, category: { kind, text }, status } as const;
    return { index, line: index + 1, draft };
  });
}

const signal = AbortSignal.timeout(60_000);

/** Finds rows in a catalogue of these animals, which have the ids 1, 2, … */
async function findAmong(
  pets: readonly NewPet[],
  rows: readonly Row[],
  imported?: ReadonlyMap<number, bigint>,
) {
  await using server = await openTestServer();
  await addPets(server.app, pets);
  const baseUrl = `http://127.0.0.1:${server.port}/v1`;
  const sessionApi = createAnimalStore({ baseUrl, apiKey: server.app.apiKey });
  const progress: number[][] = [];
  const found = await findInCatalogue(rowsOf(rows), {
    sessionApi,
    signal,
    onProgress: (...counts) => progress.push(counts),
    ...(imported && { imported }),
  });
  const requests = server.dispatched.filter((request) => request.includes('/pets?'));
  const ids = [...found].map(([index, { id }]) => [index, id]);
  return { found: Object.fromEntries(ids), progress, requests };
}

const catalogue: readonly NewPet[] = [
  { name: 'Bärbel', categoryId: 1n },
  { name: 'Rex', categoryId: 1n },
  { name: 'T-Rex', categoryId: 1n, status: 'sold' },
  { name: 'REX', categoryId: 2n },
  { name: 'rex', categoryId: 1n, status: 'sold' },
];

describe('the rows of an import that are in the catalogue', () => {
  test('have the name and the category of an animal, without regard to case and accents', async () => {
    const rows: Row[] = [
      ['barbel', '1'],
      ['REX ', '2'],
      ['Rex', '3'],
      ['Re', '1'],
      ['Rex', 'Mice'],
    ];
    expect((await findAmong(catalogue, rows)).found).toEqual({ 0: 1n, 1: 4n });
  });

  test('have an animal each, the most similar one', async () => {
    const rows: Row[] = [
      ['Rex', '1', 'sold'],
      ['rex', '1', 'sold'],
      ['Rex', '1'],
      ['T-Rex', '1'],
    ];
    expect((await findAmong(catalogue, rows)).found).toEqual({ 1: 5n, 2: 2n, 3: 3n });
    const imported = new Map([[1, 2n]]);
    expect((await findAmong(catalogue, rows, imported)).found).toEqual({ 0: 5n, 1: 2n, 3: 3n });
  });

  test('are found by a search for each name, or by reading their categories if that takes fewer requests', async () => {
    const pets = Array.from({ length: 2500 }, (_, index) => ({
      name: `Pet ${index % 2000}`,
      categoryId: BigInt(index % 3),
    }));
    const few = await findAmong(pets, [
      ['pet 1', '1'],
      ['Pet 1', '1'],
      ['Pet 7', '0'],
    ]);
    expect(few.found).toEqual({ 1: 2n, 2: 2008n });
    expect(few.requests.every((request) => request.includes('name='))).toBe(true);
    const rows = Array.from({ length: 2000 }, (_, index): Row => [`pet ${index}`, `${index % 3}`]);
    const many = await findAmong(pets, rows);
    expect(many.found).toEqual(
      Object.fromEntries(rows.map((_, index) => [index, BigInt(index + 1)])),
    );
    expect(many.requests.length).toBeLessThanOrEqual(25 + 3);
    expect(many.progress.every(([done = 0, total = 0]) => done <= total)).toBe(true);
  });
});
