import { background } from '../../src/context/context.ts';
import { openPostgresDatabase } from '../../src/postgres/open-postgres.ts';
import { openSqliteDatabase } from '../../src/sqlite/database.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import { type EngineName, prepareData, sqlOn } from './engines.ts';
import { createKey } from './new-key.ts';

/** Data of this program, for programs with a newer schema. */
interface OlderData extends AsyncDisposable {
  readonly url: string;
  /** The current version of its schema. */
  readVersion(): Promise<number>;
}

/** Ids of the animals in workspace default are below it. */
export const firstNewId = 6;

const now = Date.UTC(2026, 10, 22);
const workspaceId = 1n;

/** Writes a row to every table, and more animals to workspace default. */
async function fill(database: Database, moreAnimals = 0): Promise<void> {
  const origin = { requestId: 'older', actor: 'owner', now } as const;
  const created = await database.write(background, 'createWorkspace', { name: 'shop', now });
  if (!('ok' in created)) throw new Error('The workspace was not created');
  const pets = [9223372036854775807n, 2n, -3n].map((categoryId) => ({ name: 'Müsli', categoryId }));
  await database.write(background, 'createPets', { workspaceId: created.ok.id, pets });
  for (let id = 1; id < firstNewId; id += 1) {
    const pet = { name: `Rex ${id}`, categoryId: 7n };
    await database.write(background, 'createPet', { workspaceId, pet, origin });
  }
  const category = { name: 'Dogs', description: 'They bark.' };
  const idempotencyKey = {
    workspaceId,
    operationId: 'createCategory',
    key: 'delivery-17',
    requestDigest: 'd'.repeat(64),
    now,
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
  await database.writeKeyed(
    background,
    'createCategory',
    { workspaceId, category, origin },
    idempotencyKey,
  );
  for (const petId of [1n, 2n]) {
    await database.write(background, 'createOrder', {
      workspaceId,
      order: { petId, note: 'For Ada' },
      origin,
    });
  }
  await database.write(background, 'cancelOrder', {
    workspaceId,
    id: 2n,
    precondition: {},
    origin,
  });
  await createKey(
    database,
    { name: 'Site', digest: 'c'.repeat(64), lastFour: 'cccc', scopes: ['pets:read'] },
    { now },
  );
  if (moreAnimals === 0) return;
  const more = Array.from({ length: moreAnimals }, () => ({ name: 'Pet', categoryId: 1n }));
  await database.write(background, 'createPets', { workspaceId, pets: more });
}

/** Writes a file with the schema of this program. */
export async function makeOlderFile(path: string, moreAnimals = 0): Promise<void> {
  await using database = await openSqliteDatabase({ path, asServer: false, now: () => now });
  await fill(database, moreAnimals);
}

/** Fills an empty database of PostgreSQL with the schema of this program. */
export async function makeOlderTables(url: string, moreAnimals = 0): Promise<void> {
  await using database = await openPostgresDatabase({ url, asServer: false, now: () => now });
  await fill(database, moreAnimals);
}

export async function prepareOlderData(engine: EngineName): Promise<OlderData> {
  const data = await prepareData(engine, 'empty');
  await using database = await data.open({ now: () => now });
  await fill(database);
  return {
    url: data.url,
    async readVersion() {
      const [row] = await sqlOn(engine, data.url, 'SELECT schema_version AS version FROM meta');
      return Number(row?.version);
    },
    [Symbol.asyncDispose]: data[Symbol.asyncDispose],
  };
}
