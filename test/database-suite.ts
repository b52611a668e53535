import { describe, expect, test } from 'bun:test';
import { type Environment, scopes } from '../src/domain/api-key.ts';
import { type Database, type NewApiKey, operatorApiKeyId } from '../src/domain/database.ts';
import { int64Max, int64Min } from '../src/domain/int64.ts';
import type { NewPet } from '../src/domain/pet.ts';
import type { PetStatus } from '../src/domain/pet-status.ts';
import type { Workspace } from '../src/domain/workspace.ts';

/** An engine under test: opens a database that is new and empty, and can be opened again. */
export interface EngineUnderTest {
  readonly name: string;
  /** Opens the store, new for every `prepare`. */
  prepare(): Promise<{ open(now?: () => number): Promise<Database> } & AsyncDisposable>;
}

const now = Date.UTC(2027, 0, 1);

/** The promises of `domain/database.ts`, which every engine must keep. */
export function describeDatabase(engine: EngineUnderTest): void {
  async function withDatabase(run: (database: Database) => Promise<void>): Promise<void> {
    await using store = await engine.prepare();
    await using database = await store.open();
    await run(database);
  }

  describe(`${engine.name} keeps animals`, () => {
    test('ids count from 1 in every workspace and rise with the order of commits', async () => {
      await withDatabase(async (database) => {
        const first = await defaultWorkspace(database);
        const second = await createWorkspace(database, 'second');
        expect((await createPet(database, first)).id).toBe(1n);
        expect((await createPet(database, first)).id).toBe(2n);
        expect((await createPet(database, second)).id).toBe(1n);
      });
    });

    test('a thousand animals added at once get a thousand ids, with none left out', async () => {
      await withDatabase(async (database) => {
        const workspace = await defaultWorkspace(database);
        const pets = await Promise.all(
          Array.from({ length: 1000 }, (_, index) =>
            createPet(database, workspace, { name: `Pet ${index}`, categoryId: BigInt(index) }),
          ),
        );
        const ids = pets.map(({ id }) => id).sort((left, right) => (left < right ? -1 : 1));
        expect(ids).toEqual(Array.from({ length: 1000 }, (_, index) => BigInt(index + 1)));
        for (const pet of pets) {
          expect(await database.readPet(workspace.id, pet.id)).toEqual(pet);
        }
      });
    });

    test('every digit of an int64 and every character of a name come back', async () => {
      const numbers = [int64Min, -1n, 0n, 2n ** 51n + 1n, 2n ** 53n + 1n, int64Max];
      const names = ['Ünïcödé', '🐈‍⬛', '\ufeff.', 'e\u0301', 'é', '\u2028', ' x ', "'; --", '�'];
      await withDatabase(async (database) => {
        const workspace = await defaultWorkspace(database);
        for (const [index, categoryId] of numbers.entries()) {
          const name = names[index] ?? 'Fluffy';
          const pet = await createPet(database, workspace, { name, categoryId });
          expect(pet.categoryId).toBe(categoryId);
          expect(await database.readPet(workspace.id, pet.id)).toEqual(pet);
        }
        for (const name of names) {
          const { id } = await createPet(database, workspace, { name, categoryId: 1n });
          expect((await database.readPet(workspace.id, id))?.name).toBe(name);
        }
      });
    });

    test('an animal is available unless it is said to be otherwise', async () => {
      await withDatabase(async (database) => {
        const workspace = await defaultWorkspace(database);
        expect((await createPet(database, workspace)).status).toBe('available');
        const sold = await createPet(database, workspace, {
          name: 'Rex',
          categoryId: 1n,
          status: 'sold',
        });
        expect(sold.status).toBe('sold');
      });
    });

    test('many animals in one command keep their order', async () => {
      await withDatabase(async (database) => {
        const workspace = await defaultWorkspace(database);
        const pets = ['a', 'b', 'c'].map((name) => ({ name, categoryId: 1n }));
        expect(await database.write('createPets', { workspaceId: workspace.id, pets })).toBe(3);
        const page = await database.readPage(workspace.id, { limit: 10 });
        expect(page.pets.map(({ id, name }) => [id, name])).toEqual([
          [3n, 'c'],
          [2n, 'b'],
          [1n, 'a'],
        ]);
      });
    });

    test('a command that fails changes nothing and harms none of those beside it', async () => {
      await withDatabase(async (database) => {
        const workspace = await defaultWorkspace(database);
        const outcomes = await Promise.allSettled([
          createPet(database, workspace, { name: 'before', categoryId: 1n }),
          createPet(database, workspace, {
            name: 'impossible',
            categoryId: 1n,
            status: 'lost' as PetStatus,
          }),
          createPet(database, workspace, { name: 'after', categoryId: 1n }),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual([
          'fulfilled',
          'rejected',
          'fulfilled',
        ]);
        const page = await database.readPage(workspace.id, { limit: 10 });
        expect(page.pets.map(({ name }) => name)).toEqual(['after', 'before']);
      });
    });

    test('the statistics tell how many writes wait, and how many went together', async () => {
      await withDatabase(async (database) => {
        const workspace = await defaultWorkspace(database);
        const first = createPet(database, workspace);
        // It sets out at the end of this turn; those that come later wait for it.
        await undefined;
        const later = [createPet(database, workspace), createPet(database, workspace)];
        expect((await database.statistics()).commandsWaiting).toBe(2);
        await Promise.all([first, ...later]);
        const { commandsWaiting, commits } = await database.statistics();
        expect(commandsWaiting).toBe(0);
        expect(commits.commands.counts.slice(0, 3)).toEqual([1, 1, 0]);
        expect(commits.commands.sum).toBe(3);
        expect(commits.seconds.counts.reduce((sum, count) => sum + count)).toBe(2);
        expect(commits.seconds.sum).toBeGreaterThan(0);
      });
    });

    test('everything is there again when the store is opened again', async () => {
      await using store = await engine.prepare();
      let added: unknown;
      {
        await using database = await store.open();
        const workspace = await defaultWorkspace(database);
        added = await createPet(database, workspace);
      }
      await using database = await store.open();
      const workspace = await defaultWorkspace(database);
      expect(await database.readPet(workspace.id, 1n)).toEqual(added as never);
      expect((await createPet(database, workspace)).id).toBe(2n);
    });

    test('a write of one connection is seen by the next read of another', async () => {
      await using store = await engine.prepare();
      await using writing = await store.open();
      await using reading = await store.open();
      const workspace = await defaultWorkspace(writing);
      for (let count = 1n; count <= 20n; count += 1n) {
        await createPet(writing, workspace);
        const page = await reading.readPage(workspace.id, { limit: 1 });
        expect(page.pets[0]?.id).toBe(count);
      }
    });

    test('two connections that write at once share one row of ids', async () => {
      await using store = await engine.prepare();
      await using left = await store.open();
      await using right = await store.open();
      const workspace = await defaultWorkspace(left);
      const pets = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          createPet(index % 2 === 0 ? left : right, workspace),
        ),
      );
      expect(new Set(pets.map(({ id }) => id)).size).toBe(200);
      expect((await left.readPage(workspace.id, { limit: 1 })).pets[0]?.id).toBe(200n);
    });
  });

  describe(`${engine.name} reads pages`, () => {
    const statuses: PetStatus[] = ['available', 'sold', 'available', 'pending', 'sold'];

    async function withPets(
      run: (database: Database, workspace: Workspace) => Promise<void>,
    ): Promise<void> {
      await withDatabase(async (database) => {
        const workspace = await defaultWorkspace(database);
        const other = await createWorkspace(database, 'other');
        for (const status of statuses) {
          await createPet(database, workspace, { name: status, categoryId: 1n, status });
          await createPet(database, other, { name: 'not ours', categoryId: 1n, status });
        }
        await run(database, workspace);
      });
    }

    const cases = [
      ['all, newest first', { limit: 10 }, [5n, 4n, 3n, 2n, 1n], false],
      ['as many as asked, and that more follow', { limit: 2 }, [5n, 4n], true],
      ['the last full page without more', { limit: 2, belowId: 3n }, [2n, 1n], false],
      ['below an id that need not exist', { limit: 10, belowId: 99n }, [5n, 4n, 3n, 2n, 1n], false],
      ['by status', { limit: 10, status: 'sold' }, [5n, 2n], false],
      ['by status with more', { limit: 1, status: 'sold' }, [5n], true],
      ['by status below an id', { limit: 10, status: 'sold', belowId: 5n }, [2n], false],
      ['by ids, newest first', { limit: 10, ids: [1n, 4n, 77n] }, [4n, 1n], false],
      ['by ids with more', { limit: 1, ids: [1n, 4n] }, [4n], true],
      ['by ids below an id', { limit: 10, ids: [1n, 4n], belowId: 4n }, [1n], false],
      ['by ids and status', { limit: 10, ids: [1n, 2n, 3n], status: 'available' }, [3n, 1n], false],
      ['by an id that no animal can have', { limit: 10, ids: [int64Min, int64Max] }, [], false],
    ] as const;

    test.each(cases)('%s', async (_title, request, ids, more) => {
      await withPets(async (database, workspace) => {
        const page = await database.readPage(workspace.id, request);
        expect(page.pets.map(({ id }) => id)).toEqual([...ids]);
        expect(page.more).toBe(more);
      });
    });
  });

  describe(`${engine.name} keeps workspaces`, () => {
    test('default exists from the start, and a name is taken once', async () => {
      await withDatabase(async (database) => {
        const names = (await database.listWorkspaces()).map(({ name }) => name);
        expect(names).toEqual(['default']);
        await createWorkspace(database, 'shop');
        expect(await database.write('createWorkspace', { name: 'shop', now })).toBe('name_taken');
      });
    });

    test('a deleted workspace takes its animals and keys with it, and nothing else', async () => {
      await withDatabase(async (database) => {
        const kept = await defaultWorkspace(database);
        const deleted = await createWorkspace(database, 'deleted');
        await createPet(database, kept);
        for (let count = 0; count < 5; count += 1) await createPet(database, deleted);
        await createKey(database, 'deleted', 'a'.repeat(64));
        await createKey(database, 'default', 'b'.repeat(64));

        const steps = [];
        for (let gone = false; !gone; ) {
          const step = await database.write('deleteWorkspaceStep', {
            workspaceId: deleted.id,
            rowsMax: 2,
            now: 1,
          });
          steps.push(step.petsDeleted);
          expect(await database.findApiKey('a'.repeat(64))).toBeUndefined();
          gone = step.gone;
        }
        expect(steps).toEqual([2, 2, 1]);
        expect(await database.findWorkspace('deleted')).toBeUndefined();
        expect((await database.readPage(deleted.id, { limit: 10 })).pets).toEqual([]);
        expect((await database.readPage(kept.id, { limit: 10 })).pets).toHaveLength(1);
        expect(await database.findApiKey('b'.repeat(64))).toBeDefined();
      });
    });

    test('answers kept for a deleted workspace are deleted in steps too, and its keys before them', async () => {
      await withDatabase(async (database) => {
        const { id: workspaceId } = await createWorkspace(database, 'deleted');
        await createKey(database, 'deleted', 'a'.repeat(64));
        const once = {
          workspaceId,
          operationId: 'createPet',
          requestDigest: 'a',
          now,
          expiresAt: now,
        };
        for (const key of ['1', '2', '3', '4', '5']) {
          await database.writeOnce('touchStore', {}, { ...once, key });
        }
        const steps = [];
        for (let gone = false; !gone; ) {
          const step = { workspaceId, rowsMax: 2, now };
          gone = (await database.write('deleteWorkspaceStep', step)).gone;
          expect(await database.findApiKey('a'.repeat(64))).toBeUndefined();
          steps.push(gone);
        }
        expect(steps).toEqual([false, false, true]);
      });
    });

    test('one workspace is counted by its name', async () => {
      await withDatabase(async (database) => {
        const shop = await createWorkspace(database, 'shop');
        await createPet(database, shop);
        expect(await database.listWorkspaces('shop')).toEqual([
          { ...shop, petCount: 1, activeApiKeyCount: 0 },
        ]);
        expect(await database.listWorkspaces('nowhere')).toEqual([]);
      });
    });

    test('an animal for a deleted workspace is not stored', async () => {
      await withDatabase(async (database) => {
        const { id } = await createWorkspace(database, 'deleted');
        await database.write('deleteWorkspaceStep', { workspaceId: id, rowsMax: 10, now: 1 });
        const pet = { name: 'late', categoryId: 1n };
        expect(await database.write('createPet', { workspaceId: id, pet })).toBeUndefined();
        expect(await database.write('createPets', { workspaceId: id, pets: [pet] })).toBe(0);
      });
    });
  });

  test(`${engine.name} belongs to the environment that claimed it first`, async () => {
    await withDatabase(async (database) => {
      const claim = (environment: Environment) =>
        database.write('claimEnvironment', { environment });
      expect(await claim('staging')).toBe('staging');
      expect(await claim('production')).toBe('staging');
    });
  });

  describe(`${engine.name} keeps API keys`, () => {
    const digest = '0'.repeat(64);

    test('a key is found by its digest with all that was said of it', async () => {
      await withDatabase(async (database) => {
        const workspace = await defaultWorkspace(database);
        const created = await createKey(database, 'default', digest, { expiresAt: now + 5 });
        expect(await database.findApiKey(digest)).toEqual(created);
        expect(created).toEqual({
          id: 1n,
          workspaceId: workspace.id,
          workspaceName: 'default',
          name: 'test',
          lastFour: 'abcd',
          scopes,
          rateLimit: undefined,
          createdAt: now,
          expiresAt: now + 5,
          revokedAt: undefined,
          isRevoked: false,
          lastUsedAt: undefined,
        });
        expect(await database.findApiKey('f'.repeat(64))).toBeUndefined();
      });
    });

    test('a key for a workspace that does not exist is not made', async () => {
      await withDatabase(async (database) => {
        const apiKey = newKey(digest);
        expect(
          await database.write('createApiKey', { workspaceName: 'nowhere', apiKey, now }),
        ).toBe('no_such_workspace');
        expect(await database.listApiKeys()).toEqual([]);
      });
    });

    test('the first key is made once, and never again after any key was made', async () => {
      await withDatabase(async (database) => {
        expect(await database.hasHadApiKey()).toBe(false);
        const apiKey = newKey(digest);
        const [one, two] = await Promise.all([
          database.write('createFirstApiKey', { apiKey, now }),
          database.write('createFirstApiKey', { apiKey: newKey('1'.repeat(64)), now }),
        ]);
        expect(one?.workspaceName).toBe('default');
        expect(two).toBeUndefined();
        expect(await database.hasHadApiKey()).toBe(true);
      });
    });

    test('the first key is made although one was asked for before in a workspace that is not there', async () => {
      await withDatabase(async (database) => {
        const apiKey = newKey(digest);
        await database.write('createApiKey', { workspaceName: 'nowhere', apiKey, now });
        expect(await database.write('createFirstApiKey', { apiKey, now })).toMatchObject({
          id: 1n,
        });
      });
    });

    test('rotating makes a key with the same name and scopes, and ends the old one later', async () => {
      await withDatabase(async (database) => {
        const old = await createKey(database, 'default', digest, { scopes: ['pets:read'] });
        const rotated = await database.write('rotateApiKey', {
          id: old.id,
          digest: '2'.repeat(64),
          lastFour: 'wxyz',
          overlapMilliseconds: 1000,
          now,
        });
        expect(rotated).toMatchObject({
          replaced: { id: old.id, revokedAt: now + 1000 },
          replacement: { name: 'test', scopes: ['pets:read'], lastFour: 'wxyz' },
        });
        expect((await database.findApiKey(digest))?.revokedAt).toBe(now + 1000);

        await database.write('revokeApiKey', { id: old.id, now: now + 1 });
        expect((await database.findApiKey(digest))?.revokedAt).toBe(now + 1);
        await database.write('revokeApiKey', { id: old.id, now: now + 9000 });
        expect((await database.findApiKey(digest))?.revokedAt).toBe(now + 1);
      });
    });

    test('only an active key is rotated', async () => {
      await withDatabase(async (database) => {
        const { id } = await createKey(database, 'default', digest);
        await database.write('revokeApiKey', { id, now });
        const rotate = { digest: '2'.repeat(64), lastFour: 'wxyz', overlapMilliseconds: 0, now };
        expect(await database.write('rotateApiKey', { id, ...rotate })).toBe('not_active');
        expect(await database.write('rotateApiKey', { id: 99n, ...rotate })).toBe('no_such_key');
        expect(await database.write('revokeApiKey', { id: 99n, now })).toBeUndefined();
      });
    });

    test('times of use only move forward', async () => {
      await withDatabase(async (database) => {
        const { id } = await createKey(database, 'default', digest);
        for (const lastUsedAt of [now + 60_000, now]) {
          await database.write('recordApiKeyUses', {
            uses: [{ apiKeyId: id, lastUsedAt, deprecatedCalls: [] }],
          });
        }
        expect((await database.findApiKey(digest))?.lastUsedAt).toBe(now + 60_000);
      });
    });

    test('calls of what is going away are counted for each key, the latest first', async () => {
      await withDatabase(async (database) => {
        await createWorkspace(database, 'shop');
        const old = await createKey(database, 'default', '1'.repeat(64));
        const shop = await createKey(database, 'shop', '2'.repeat(64), { name: 'till' });
        const call = (apiKeyId: bigint, count: number, lastCalledAt: number) => ({
          apiKeyId,
          lastUsedAt: now,
          deprecatedCalls: [{ operationId: 'getPet', count, lastCalledAt }],
        });
        const record = (...uses: ReturnType<typeof call>[]) =>
          database.write('recordApiKeyUses', { uses });
        expect(await database.listDeprecatedCalls()).toEqual([]);
        await record(
          call(old.id, 2, now),
          call(shop.id, 1, now + 5),
          call(operatorApiKeyId, 7, now),
        );
        // What comes late adds to the count, and does not make the last call earlier.
        await record(call(shop.id, 3, now + 1), call(99n, 1, now));
        const calls = { operationId: 'getPet', lastCalledAt: now };
        expect(await database.listDeprecatedCalls()).toEqual([
          {
            ...calls,
            apiKeyId: shop.id,
            apiKey: { name: 'till', workspaceName: 'shop' },
            count: 4,
            lastCalledAt: now + 5,
          },
          { ...calls, apiKeyId: operatorApiKeyId, apiKey: undefined, count: 7 },
          {
            ...calls,
            apiKeyId: old.id,
            apiKey: { name: 'test', workspaceName: 'default' },
            count: 2,
          },
        ]);
      });
    });

    test('keys are listed in the order they were made, of all workspaces or of one', async () => {
      await withDatabase(async (database) => {
        await createWorkspace(database, 'shop');
        await createKey(database, 'default', '1'.repeat(64));
        await createKey(database, 'shop', '2'.repeat(64));
        expect((await database.listApiKeys()).map(({ id }) => id)).toEqual([1n, 2n]);
        expect((await database.listApiKeys('shop')).map(({ id }) => id)).toEqual([2n]);
      });
    });
  });
}

async function defaultWorkspace(database: Database): Promise<Workspace> {
  const workspace = await database.findWorkspace('default');
  if (workspace === undefined) throw new Error('There is no default workspace');
  return workspace;
}

async function createWorkspace(database: Database, name: string): Promise<Workspace> {
  const workspace = await database.write('createWorkspace', { name, now });
  if (workspace === 'name_taken') throw new Error(workspace);
  return workspace;
}

async function createPet(
  database: Database,
  { id: workspaceId }: Workspace,
  pet: NewPet = { name: 'Fluffy', categoryId: 7n },
) {
  const created = await database.write('createPet', { workspaceId, pet });
  if (created === undefined) throw new Error('The workspace is gone');
  return created;
}

function newKey(digest: string, more: Partial<NewApiKey> = {}): NewApiKey {
  return {
    name: 'test',
    digest,
    lastFour: 'abcd',
    scopes,
    rateLimit: undefined,
    expiresAt: undefined,
    ...more,
  };
}

async function createKey(
  database: Database,
  workspaceName: string,
  digest: string,
  more: Partial<NewApiKey> = {},
) {
  const apiKey = newKey(digest, more);
  const created = await database.write('createApiKey', { workspaceName, apiKey, now });
  if (created === 'no_such_workspace') throw new Error(created);
  return created;
}
