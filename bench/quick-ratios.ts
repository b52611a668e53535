import { join } from 'node:path';
import type { Database } from '../src/domain/database.ts';
import type { Int64 } from '../src/domain/int64.ts';
import type { PageRequest } from '../src/domain/page.ts';
import { defaultWorkspaceName } from '../src/domain/workspace.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { medianRatio } from './statistics.ts';

/** Ratios that hold on any machine, however slow or busy, for a test with wide bounds. */
export interface QuickRatios {
  /** Time of pages at random depths among many animals, over that among few. Near 1. */
  readonly pageAmongMany: number;
  /** Time of additions one after the other, over that of as many at once. Well above 1. */
  readonly addingOneByOne: number;
}

const few = 500;
const many = 50_000;
const pagesPerRound = 500;
const additionsPerRound = 200;
const rounds = 5;

/** Needs no tool but this program, and a second or two. `folder` must be empty. */
export async function measureQuickRatios(folder: string): Promise<QuickRatios> {
  await using fewAnimals = await openFilled(join(folder, 'few.db'), few);
  await using manyAnimals = await openFilled(join(folder, 'many.db'), many);
  const times: Record<'few' | 'many' | 'alone' | 'together', number[]> = {
    few: [],
    many: [],
    alone: [],
    together: [],
  };
  for (let round = 0; round <= rounds; round += 1) {
    times.few.push(await timePages(fewAnimals, few));
    times.many.push(await timePages(manyAnimals, many));
    times.alone.push(await timeAdditions(fewAnimals, 1));
    times.together.push(await timeAdditions(fewAnimals, additionsPerRound));
  }
  // The first round was the warm-up.
  return {
    pageAmongMany: medianRatio(times.many.slice(1), times.few.slice(1)),
    addingOneByOne: medianRatio(times.alone.slice(1), times.together.slice(1)),
  };
}

interface Filled extends AsyncDisposable {
  readonly database: Database;
  readonly workspaceId: Int64;
}

async function openFilled(path: string, animals: number): Promise<Filled> {
  const database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
  const workspace = await database.findWorkspace(defaultWorkspaceName);
  const workspaceId = workspace?.id ?? 0n;
  const pets = Array.from({ length: animals }, () => ({ name: 'Fluffy', categoryId: 7n }));
  await database.write('createPets', { workspaceId, pets });
  return {
    database,
    workspaceId,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function timePages({ database, workspaceId }: Filled, animals: number): Promise<number> {
  const startedAt = performance.now();
  for (let page = 0; page < pagesPerRound; page += 1) {
    const belowId = BigInt(21 + Math.floor(Math.random() * (animals - 21)));
    const request: PageRequest = { limit: 20, belowId };
    await database.readPetPage(workspaceId, request);
  }
  return performance.now() - startedAt;
}

async function timeAdditions({ database, workspaceId }: Filled, atOnce: number): Promise<number> {
  const startedAt = performance.now();
  for (let added = 0; added < additionsPerRound; added += atOnce) {
    const pet = { name: 'Fluffy', categoryId: 7n };
    await Promise.all(
      Array.from({ length: atOnce }, () => database.write('createPet', { workspaceId, pet })),
    );
  }
  return performance.now() - startedAt;
}
