import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { type ApiKey, type Environment, operatorApiKeyId } from '../src/domain/access/api-key.ts';
import type { Workspace } from '../src/domain/access/workspace.ts';
import { type NewPet, type PetStatus, petToJson } from '../src/domain/pet.ts';
import { recordVersion } from '../src/domain/precondition.ts';
import { CallEnded, type Context } from '../src/domain/values/context.ts';
import { int64Max } from '../src/domain/values/int64.ts';
import type { Database } from '../src/storage/contract/database.ts';
import type { IdempotencyKey } from '../src/storage/contract/idempotency-key.ts';
import { sha256 } from '../src/storage/sha256.ts';
import { createKey, makeKey } from './support/new-key.ts';
import { okOf } from './support/outcome.ts';

/** An engine under test. It opens a new, empty database, which can be opened again. */
interface EngineUnderTest {
  readonly name: string;
  /** Opens the data, which is new for each `prepare`. */
  prepare(): Promise<{ open(now?: () => number): Promise<Database> } & AsyncDisposable>;
}

const now = Date.UTC(2027, 0, 1);

interface FeedEvent {
  readonly sequence: number;
  readonly requestId: string;
  readonly data: { readonly id: number };
}

/** The promises of `domain/database.ts`, which each engine must keep. */
export function describeDatabase(engine: EngineUnderTest): void {
  /** A new, empty database that is removed when it is closed. */
  async function openNew(): Promise<Database> {
    const data = await engine.prepare();
    const database = await data.open();
    return {
      ...database,
      async [Symbol.asyncDispose]() {
        await database[Symbol.asyncDispose]();
        await data[Symbol.asyncDispose]();
      },
    };
  }

  describe(`${engine.name} keeps animals`, () => {
    test('a thousand animals added at once get the ids from 1 on, in each workspace', async () => {
      await using database = await openNew();
      const upTo1000 = Array.from({ length: 1000 }, (_, index) => index + 1);
      for (const workspace of [
        await defaultWorkspace(database),
        await createWorkspace(database, 'second'),
      ]) {
        const pets = await Promise.all(upTo1000.map(() => createPet(database, workspace)));
        const ids = pets.map(({ id }) => Number(id)).sort((one, other) => one - other);
        expect(ids).toEqual(upTo1000);
      }
    });

    test('the statistics count the waiting commands, and the commands of each commit', async () => {
      let groups: readonly number[] = [];
      // The next command of a caller joins those that wait, unless it comes too late, such as on a busy machine.
      for (let round = 0; round < 20 && groups[2] !== 1; round += 1) {
        await using database = await openNew();
        const workspace = await defaultWorkspace(database);
        const first = createPet(database, workspace);
        // It starts at the end of this turn. Later ones wait for it.
        await undefined;
        const later = [createPet(database, workspace), createPet(database, workspace)];
        expect((await database.statistics()).commandsWaiting).toBe(2);
        await Promise.all([first.then(() => createPet(database, workspace)), ...later]);
        const { commandsWaiting, commits } = await database.statistics();
        expect(commandsWaiting).toBe(0);
        expect(commits.commands.sum).toBe(4);
        groups = commits.commands.counts.slice(0, 3);
        const count = groups.reduce((sum, groupCount) => sum + groupCount);
        expect(commits.seconds.counts.reduce((sum, commitCount) => sum + commitCount)).toBe(count);
        expect(commits.seconds.sum).toBeGreaterThan(0);
      }
      expect(groups).toEqual([1, 0, 1]);
    });

    test('a call that is over begins no statement, and a command whose client left during a long wait changes nothing', async () => {
      await using database = await openNew();
      const workspace = await defaultWorkspace(database);
      const left = new AbortController();
      const leaving = { ...background, signal: left.signal };
      const pet = { name: 'Rex', categoryId: 1n };
      const add = (context: Context) =>
        database.write(context, 'createPet', { workspaceId: workspace.id, pet });
      const first = add(background);
      // It starts at the end of this turn. The next one waits for it.
      await undefined;
      // With 4 s of its 5 left, as after a wait of one second.
      const waiting = add({ ...leaving, deadline: performance.now() + 4000 });
      left.abort();
      const errorOf = (call: Promise<unknown>) => call.catch((error: unknown) => error);
      const aborted = new CallEnded('The call was aborted');
      expect(await errorOf(waiting)).toEqual(aborted);
      await first;
      expect(await errorOf(add({ ...background, deadline: 0 }))).toBeInstanceOf(CallEnded);
      const read = async (context: Context) =>
        database.readPetPage(context, workspace.id, { limit: 9 });
      expect(await errorOf(read(leaving))).toEqual(aborted);
      expect(await errorOf(read({ ...background, deadline: 0 }))).toBeInstanceOf(CallEnded);
      expect((await read(background)).items.length).toBe(1);
    });

    test('a search ends when its client leaves, and after its time with a shorter page', async () => {
      await using database = await openNew();
      const workspace = await defaultWorkspace(database);
      const pets = Array.from({ length: 500 }, () => ({ name: 'Rex', categoryId: 1n }));
      await database.write(background, 'createPets', { workspaceId: workspace.id, pets });
      const search = async (context: Context) =>
        database.readPetPage(context, workspace.id, { limit: 9, name: 'none' });
      const left = new AbortController();
      const searching = search({ ...background, signal: left.signal });
      setImmediate(() => left.abort());
      await expect(searching).rejects.toThrow(new CallEnded('The call was aborted'));
      expect(await search(background)).toEqual({ items: [], nextAfterId: undefined });
    });

    test('commands that wait when the database closes are run', async () => {
      await using data = await engine.prepare();
      await using database = await data.open();
      const workspace = await defaultWorkspace(database);
      const first = createPet(database, workspace);
      await undefined;
      const second = createPet(database, workspace);
      // Then the group of the second is gathered.
      const closed = first.then(() => database[Symbol.asyncDispose]());
      expect((await second).id).toBe(2n);
      await closed;
      await expect(createPet(database, workspace)).rejects.toThrow('The database is closing');
    });

    test('one of several changes with the same If-Match is made, over two connections', async () => {
      await using data = await engine.prepare();
      await using left = await data.open();
      await using right = await data.open();
      const workspace = await defaultWorkspace(left);
      let pet = await createPet(left, workspace);
      for (let round = 0; round < 20; round += 1) {
        const { id } = pet;
        const match = [recordVersion(JSON.stringify(petToJson(pet)), sha256)];
        const outcomes = await Promise.all(
          [left, right, left, right].map((database, index) => {
            const changes = { name: `Rex ${round} ${index}` };
            return database.write(background, 'updatePet', {
              workspaceId: workspace.id,
              id,
              changes,
              precondition: { match },
            });
          }),
        );
        const made = outcomes.flatMap((outcome) => ('ok' in outcome ? [outcome.ok] : []));
        expect(made).toHaveLength(1);
        expect(outcomes.filter((outcome) => 'refused' in outcome)).toHaveLength(3);
        pet = made[0] ?? pet;
        expect(await right.readPet(background, workspace.id, id)).toEqual(pet);
      }
    });
  });

  describe(`${engine.name} keeps workspaces`, () => {
    test('the animals and keys of a deleted workspace are deleted in steps, its API keys first, and no others', async () => {
      await using database = await openNew();
      const kept = await defaultWorkspace(database);
      const deleted = await createWorkspace(database, 'deleted');
      await createPet(database, kept);
      for (const key of ['1', '2', '3', '4', '5']) {
        await createPet(database, deleted);
        const once = idempotencyKey({ workspaceId: deleted.id, key });
        await database.writeKeyed(background, 'touch', {}, once);
      }
      await createKey(database, { digest: 'a'.repeat(64) }, { workspaceName: 'deleted', now });
      await createKey(database, { digest: 'b'.repeat(64) });

      const steps = [];
      for (let gone = false; !gone; ) {
        const step = { id: deleted.id, rowsMax: 2, now };
        const done = okOf(await database.write(background, 'deleteWorkspaceStep', step));
        steps.push(done.petsDeleted);
        expect(await database.findApiKey(background, 'a'.repeat(64))).toBeUndefined();
        gone = done.gone;
      }
      // Its idempotency keys are deleted before its animals.
      expect(steps).toEqual([0, 0, 2, 2, 1]);
      expect(await database.findWorkspace(background, 'deleted')).toBeUndefined();
      expect((await database.readPetPage(background, deleted.id, { limit: 10 })).items).toEqual([]);
      expect((await database.readPetPage(background, kept.id, { limit: 10 })).items).toHaveLength(
        1,
      );
      expect(await database.findApiKey(background, 'b'.repeat(64))).toBeDefined();
    });

    test('300 workspaces besides default are listed in pages by name, and found by the beginning of a name, which is used once', async () => {
      await using database = await openNew();
      const names = ['default'];
      for (let index = 0; index < 300; index += 1) names.push(`shop-${index}`);
      for (const name of names.slice(1)) await createWorkspace(database, name);
      const again = await database.write(background, 'createWorkspace', { name: 'shop-7', now });
      expect(again).toEqual({ refused: 'name_taken' });
      names.sort();
      const read: string[] = [];
      let afterName: string | undefined;
      do {
        const page = await database.listWorkspaces(background, { limit: 90, afterName }, now);
        expect(page.items.length).toBeLessThanOrEqual(90);
        read.push(...page.items.map(({ name }) => name));
        afterName = page.next?.name;
      } while (afterName !== undefined);
      expect(read).toEqual(names);
      expect(await database.listWorkspaceNames(background, '', 2)).toEqual(['default', 'shop-0']);
      expect(await database.listWorkspaceNames(background, 'shop-29', 20)).toEqual(
        names.filter((name) => name.startsWith('shop-29')),
      );
      expect(await database.listWorkspaceNames(background, 'x', 20)).toEqual([]);
    });

    test('an animal for a deleted workspace is not stored', async () => {
      await using database = await openNew();
      const { id } = await createWorkspace(database, 'deleted');
      await database.write(background, 'deleteWorkspaceStep', { id, rowsMax: 10, now: 1 });
      const pet = { name: 'late', categoryId: 1n };
      const refusal = { refused: 'no_such_workspace' } as const;
      expect(await database.write(background, 'createPet', { workspaceId: id, pet })).toEqual(
        refusal,
      );
      const many = await database.write(background, 'createPets', { workspaceId: id, pets: [pet] });
      expect(many).toEqual(refusal);
    });
  });

  describe(`${engine.name} runs a command once under an idempotency key`, () => {
    const rex: NewPet = { name: 'Rex', categoryId: int64Max };

    /** Adds an animal under a key. */
    const add = (database: Database, more: Partial<IdempotencyKey>, pet = rex) => {
      const key = idempotencyKey({ workspaceId: 1n, ...more });
      return database.writeKeyed(
        background,
        'createPet',
        { workspaceId: key.workspaceId, pet },
        key,
      );
    };

    test('one of several commands that arrive together under one key runs, and those of another request are refused', async () => {
      await using database = await openNew();
      const outcomes = await Promise.all(
        ['a', 'b', 'a'].map((requestDigest) => add(database, { requestDigest })),
      );
      const pet = { id: 1n, ...rex, status: 'available' } as const;
      expect(outcomes).toEqual([
        { ok: pet, replayed: false },
        { refused: 'idempotency_key_reused' },
        { ok: pet, replayed: true },
      ]);
      expect((await database.readPetPage(background, 1n, { limit: 10 })).items).toEqual([pet]);
    });

    test('a command that fails is not stored, and those beside it are', async () => {
      await using database = await openNew();
      const impossible: NewPet = { ...rex, status: 'lost' as PetStatus };
      const outcomes = await Promise.allSettled([
        add(database, { key: 'before' }),
        add(database, { key: 'failing' }, impossible),
        add(database, { key: 'after' }),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect(await add(database, { key: 'before' })).toMatchObject({ replayed: true });
      expect(await add(database, { key: 'after' })).toMatchObject({ replayed: true });
      expect(await add(database, { key: 'failing' })).toMatchObject({ replayed: false });
    });
  });

  describe(`${engine.name} keeps a feed of changes`, () => {
    const pet: NewPet = { name: 'Rex', categoryId: 1n };
    const withOrigin = (requestId: string, at = now) => ({
      origin: { requestId, actor: 'owner', now: at } as const,
    });

    async function readFeed(database: Database, after?: number): Promise<FeedEvent[]> {
      const found = await database.readEvents(background, 1n, { after, limit: 1000 });
      if (found === undefined || 'expired' in found) throw new Error('The position has expired');
      return found.events.map(({ json }) => JSON.parse(json));
    }

    test('is without a gap and in order, also if two connections write and some commands fail', async () => {
      await using data = await engine.prepare();
      await using left = await data.open();
      await using right = await data.open();
      const outcomes = await Promise.allSettled(
        // Each failure halves its group, so that many more commands would not be done in time on a busy machine.
        Array.from({ length: 60 }, (_, index) => {
          const status = index % 10 === 9 ? ('lost' as PetStatus) : 'available';
          return (index % 2 === 0 ? left : right).write(background, 'createPet', {
            workspaceId: 1n,
            pet: { ...pet, status },
            ...withOrigin(`request-${index}`),
          });
        }),
      );
      const created = outcomes.flatMap((outcome, index) =>
        outcome.status === 'fulfilled'
          ? [{ id: Number(okOf(outcome.value).id), requestId: `request-${index}` }]
          : [],
      );
      expect(created.length).toBe(54);
      const events = await readFeed(left);
      expect(events.map(({ sequence }) => sequence)).toEqual(created.map((_, index) => index + 1));
      const byId = (one: { id: number }, other: { id: number }) => one.id - other.id;
      expect(events.map(({ data, requestId }) => ({ id: data.id, requestId })).sort(byId)).toEqual(
        created.toSorted(byId),
      );
      expect(await readFeed(right, 30)).toEqual(events.slice(30));
    });

    test('loses its oldest events by age, also if a clock was ahead for a moment', async () => {
      await using database = await openNew();
      // The clock was corrected after the third event.
      for (const at of [1, 2, 9, 3, 5, 9]) {
        okOf(
          await database.write(background, 'createPet', {
            workspaceId: 1n,
            pet,
            ...withOrigin('any', at),
          }),
        );
      }
      const deleteOld = (eventsMax: number, from?: bigint) =>
        database.write(background, 'deleteOldEvents', { before: 5, eventsMax, from });
      const deleted = { workspaceId: 1n, workspace: 'default', first: 1, last: 4, count: 4 };
      expect(await deleteOld(100, 2n)).toEqual({ ok: null });
      expect(await deleteOld(100, 1n)).toEqual({ ok: deleted });
      expect(await deleteOld(100)).toEqual({ ok: null });
      expect((await readFeed(database)).map(({ sequence }) => sequence)).toEqual([5, 6]);
    });
  });

  test(`${engine.name} belongs to the environment that claimed it first`, async () => {
    await using database = await openNew();
    const claim = (environment: Environment) =>
      database.write(background, 'claimEnvironment', { environment });
    expect(await claim('staging')).toEqual({ ok: 'staging' });
    expect(await claim('production')).toEqual({ ok: 'staging' });
  });

  describe(`${engine.name} keeps API keys`, () => {
    const digest = '0'.repeat(64);

    test('the first key is created once, and never after any other key', async () => {
      await using database = await openNew();
      const apiKey = makeKey({ digest });
      const nowhere = { workspaceName: 'nowhere', apiKey, now };
      expect(await database.write(background, 'createApiKey', nowhere)).toEqual({
        refused: 'no_such_workspace',
      });
      expect(await database.hasHadApiKey(background)).toBe(false);
      const [one, two] = await Promise.all([
        database.write(background, 'createFirstApiKey', { apiKey, now }),
        database.write(background, 'createFirstApiKey', {
          apiKey: makeKey({ digest: '1'.repeat(64) }),
          now,
        }),
      ]);
      expect(one).toMatchObject({ ok: { workspaceName: 'default' } });
      expect(two).toEqual({ refused: 'not_the_first' });
      expect(await database.hasHadApiKey(background)).toBe(true);
    });

    test('the time of use never goes back', async () => {
      await using database = await openNew();
      const { id, workspaceId } = await createKey(database, { digest });
      for (const lastUsedAt of [now + 60_000, now]) {
        await database.write(background, 'saveApiKeyUses', {
          uses: [{ apiKeyId: id, workspaceId, lastUsedAt, deprecatedCalls: [] }],
        });
      }
      expect((await database.findApiKey(background, digest))?.lastUsedAt).toBe(now + 60_000);
    });

    test('deprecated calls are counted for each key, the latest first', async () => {
      await using database = await openNew();
      await createWorkspace(database, 'shop');
      const old = await createKey(database, { digest: '1'.repeat(64) });
      const shop = await createKey(
        database,
        { digest: '2'.repeat(64), name: 'till' },
        { workspaceName: 'shop', now },
      );
      const call = (
        { id: apiKeyId, workspaceId }: Pick<ApiKey, 'id' | 'workspaceId'>,
        count: number,
        lastCalledAt: number,
      ) => ({
        apiKeyId,
        workspaceId,
        lastUsedAt: now,
        deprecatedCalls: [{ operationId: 'getPet', count, lastCalledAt }],
      });
      const operator = { id: operatorApiKeyId, workspaceId: old.workspaceId };
      const record = (...uses: ReturnType<typeof call>[]) =>
        database.write(background, 'saveApiKeyUses', { uses });
      expect((await database.listDeprecatedCalls(background, 9)).items).toEqual([]);
      await record(call(old, 2, now), call(shop, 1, now + 5), call(operator, 7, now));
      // Late counts are added, and do not make the last call earlier.
      await record(call(shop, 3, now + 1), call({ ...old, id: 99n }, 1, now));
      const calls = { operationId: 'getPet', lastCalledAt: now, workspaceId: old.workspaceId };
      expect((await database.listDeprecatedCalls(background, 9)).items).toEqual([
        {
          ...calls,
          apiKeyId: shop.id,
          apiKeyName: 'till',
          workspaceId: shop.workspaceId,
          workspaceName: 'shop',
          count: 4,
          lastCalledAt: now + 5,
        },
        {
          ...calls,
          apiKeyId: operatorApiKeyId,
          apiKeyName: undefined,
          workspaceName: 'default',
          count: 7,
        },
        {
          ...calls,
          apiKeyId: old.id,
          apiKeyName: 'test',
          workspaceName: 'default',
          count: 2,
        },
      ]);
    });

    test('300 keys are listed in pages, newest first, of all workspaces or of one, and found by id', async () => {
      await using database = await openNew();
      const shop = await createWorkspace(database, 'shop');
      for (let index = 1; index <= 300; index += 1) {
        const workspaceName = index % 3 === 0 ? 'shop' : 'default';
        await createKey(database, {}, { workspaceName });
      }
      const read = async (workspaceId?: bigint) => {
        const ids: bigint[] = [];
        let afterId: bigint | undefined;
        do {
          const page = await database.listApiKeys(background, { limit: 100, afterId }, workspaceId);
          expect(page.items.length).toBe(100);
          ids.push(...page.items.map(({ id }) => id));
          afterId = page.nextAfterId;
        } while (afterId !== undefined);
        return ids;
      };
      const newestFirst = Array.from({ length: 300 }, (_, index) => BigInt(300 - index));
      expect(await read()).toEqual(newestFirst);
      expect(await read(shop.id)).toEqual(newestFirst.filter((id) => id % 3n === 0n));
      expect(await database.findApiKeyById(background, 299n)).toMatchObject({
        workspaceName: 'default',
      });
      expect(await database.findApiKeyById(background, 301n)).toBeUndefined();
      const last = await database.listAuditEntries(background, { limit: 1, afterId: 200n });
      expect([last.items[0]?.id, last.nextAfterId]).toEqual([199, 199n]);
    });
  });
}

async function defaultWorkspace(database: Database): Promise<Workspace> {
  const workspace = await database.findWorkspace(background, 'default');
  if (workspace === undefined) throw new Error('There is no default workspace');
  return workspace;
}

async function createWorkspace(database: Database, name: string): Promise<Workspace> {
  return okOf(await database.write(background, 'createWorkspace', { name, now }));
}

async function createPet(
  database: Database,
  { id: workspaceId }: Workspace,
  pet: NewPet = { name: 'Fluffy', categoryId: 7n },
) {
  return okOf(await database.write(background, 'createPet', { workspaceId, pet }));
}

function idempotencyKey(
  more: Partial<IdempotencyKey> & Pick<IdempotencyKey, 'workspaceId'>,
): IdempotencyKey {
  return {
    operationId: 'createPet',
    key: 'once',
    requestDigest: 'a',
    now,
    expiresAt: now + 1000,
    ...more,
  };
}
