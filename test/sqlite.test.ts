import { Database as Connection } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { background } from '../src/context/context.ts';
import { backUpFile } from '../src/sqlite/backup/backup.ts';
import { openReaderConnection, openWriterConnection } from '../src/sqlite/connection.ts';
import { openWalIndex } from '../src/sqlite/data-version.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { createTransact } from '../src/sqlite/transaction.ts';
import { verifyFile } from '../src/sqlite/verify.ts';
import { type LongWalOptions, watchWal } from '../src/sqlite/writer/long-wal.ts';
import { openWriter } from '../src/sqlite/writer/writer.ts';
import { sessionLists } from '../src/storage/access/session-list.ts';
import { commitGroup } from '../src/storage/commands/commit-group.ts';
import { DatabaseUnavailable, DatabaseUnusable } from '../src/storage/contract/database-error.ts';
import { selectOfRecord } from '../src/storage/feed/event-feed.ts';
import { orderPages } from '../src/storage/records/orders.ts';
import { selectMarks, selectNearby } from '../src/storage/records/pet-positions.ts';
import { petPages } from '../src/storage/records/pets.ts';
import { schemaVersion } from '../src/storage/schema/prepare-schema.ts';
import type { Statement } from '../src/storage/statement.ts';
import { describeDatabase } from './database-suite.ts';
import { prepareData } from './support/engines.ts';
import { refusal, runProgram, startServerProcess } from './support/server-process.ts';
import { diskFolder, makeTemporaryFolder } from './support/temporary-folder.ts';
import { readApiKeys } from './support/whole-lists.ts';

function open(path: string, asServer = false) {
  return openSqliteDatabase({ path, asServer, now: Date.now });
}

describeDatabase({
  name: 'SQLite',
  async prepare() {
    const data = await prepareData('sqlite');
    return {
      open: () => data.open(),
      [Symbol.asyncDispose]: () => data[Symbol.asyncDispose](),
    };
  },
});

describe('a SQLite file', () => {
  test('is written with a flush to disk at every commit, in WAL mode', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await (await open(path))[Symbol.asyncDispose]();
    using connection = openWriterConnection(path);
    expect(connection.query('PRAGMA synchronous').get()).toEqual({ synchronous: 2n });
    expect(connection.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(connection.query('PRAGMA foreign_keys').get()).toEqual({ foreign_keys: 1n });
  });

  test('has its log truncated after a long read has ended', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await using database = await open(path);
    const add = () => database.write(background, 'createPets', { workspaceId: 1n, pets });
    const pets = Array.from({ length: 1000 }, () => ({ name: 'Fluffy', categoryId: 7n }));
    {
      using reader = openReaderConnection(path);
      reader.run('BEGIN');
      reader.query('SELECT count(*) FROM pets').get();
      for (let count = 0; count < 200; count += 1) await add();
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(20 * 2 ** 20);
      reader.run('COMMIT');
    }
    await add();
    await add();
    expect(statSync(`${path}-wal`).size).toBeLessThanOrEqual(16 * 2 ** 20);
  });

  describe('under a server, after a long read,', () => {
    const pets = Array.from({ length: 1000 }, () => ({ name: 'Fluffy', categoryId: 7n }));
    const cutBytes = 16 * 2 ** 20;
    const nextTurn = () => new Promise(setImmediate);

    /** Opens a file as a server, with a long log that a read keeps. */
    async function openUnderRead() {
      using opening = new DisposableStack();
      const folder = opening.use(makeTemporaryFolder());
      const path = join(folder.path, 'test.db');
      const database = await open(path, true);
      let added = 0;
      const add = async (server = database) => {
        await server.write(background, 'createPets', { workspaceId: 1n, pets });
        added += pets.length;
      };
      const watching = opening.use(openReaderConnection(path));
      const noop = watching.query<{ log: bigint; checkpointed: bigint }, []>(
        'PRAGMA wal_checkpoint(NOOP)',
      );
      const logBytes = () => statSync(`${path}-wal`).size;
      const reader = opening.use(openReaderConnection(path));
      reader.run('BEGIN');
      reader.query('SELECT count(*) FROM pets').get();
      while (logBytes() < 80 * 2 ** 20) await add();
      const opened = opening.move();
      const close = async () => {
        for (const connection of [watching, reader]) connection.close();
        await database[Symbol.asyncDispose]();
      };
      return {
        path,
        database,
        add,
        added: () => added,
        logBytes,
        countLeft: () => {
          const { log = 0n, checkpointed = 0n } = noop.get() ?? {};
          return log - checkpointed;
        },
        endRead: () => reader.run('COMMIT'),
        close,
        async [Symbol.asyncDispose]() {
          await close();
          opened.dispose();
        },
      };
    }

    /** Commits until the log is short. */
    async function expectSteps(logBytes: () => number, add: () => Promise<void>): Promise<void> {
      const steps: number[] = [];
      for (let last = logBytes(); last > cutBytes; last = logBytes()) {
        await add();
        steps.push(last - logBytes());
      }
      expect(steps.filter((step) => step > 0).length).toBeGreaterThanOrEqual(4);
      expect(Math.max(...steps)).toBeLessThanOrEqual(cutBytes);
    }

    test('the log is moved into the file without a commit, and each commit cuts one step', async () => {
      await using file = await openUnderRead();
      const before = file.logBytes();
      file.endRead();
      while (file.countLeft() > 0n) await nextTurn();
      expect(file.logBytes()).toBe(before);
      await expectSteps(file.logBytes, file.add);
    });

    test('the log becomes short while commits continue', async () => {
      await using file = await openUnderRead();
      file.endRead();
      while (file.logBytes() > cutBytes) await file.add();
      expect(file.countLeft()).toBeLessThan(12_000n);
    });

    /** Opens the log of a writer without a server. */
    async function openWatched(change: (options: LongWalOptions) => Partial<LongWalOptions>) {
      await using opening = new AsyncDisposableStack();
      const path = join(opening.use(makeTemporaryFolder()).path, 'test.db');
      await (await open(path))[Symbol.asyncDispose]();
      let index: ReturnType<typeof openWalIndex>;
      opening.defer(() => index?.[Symbol.dispose]());
      const writer = opening.use(await openWriter(path));
      // It stays open, because closing it would end the locks of SQLite.
      index = openWalIndex(openSync(`${path}-shm`, 'r'));
      if (index === undefined) throw new Error('The index cannot be mapped');
      const lines: string[] = [];
      const report = (line: string) => void lines.push(line);
      const options = { path, files: [], index, writer, report };
      const log = opening.use(watchWal({ ...options, ...change(options) }));
      const opened = opening.move();
      return {
        path,
        index,
        lines,
        log,
        async add() {
          const input = { workspaceId: 1n, pets };
          await writer.commit([{ name: 'createPets', input, key: undefined }]);
          log.check();
        },
        [Symbol.asyncDispose]: () => opened.disposeAsync(),
      };
    }

    test('an error of the second thread is reported, and the writer moves the log itself', async () => {
      await using watched = await openWatched(({ path }) => ({
        files: [{ path, dev: 0n, ino: 0n }],
      }));
      const { path, lines, add } = watched;
      using reader = openReaderConnection(path);
      reader.run('BEGIN');
      reader.query('SELECT count(*) FROM pets').get();
      while (lines.length === 0) await add();
      expect(lines).toEqual([
        `The long log ${path}-wal cannot be moved into ${path}: ${path} was replaced by another file. The server tries again in a minute`,
      ]);
      expect(watched.index.pages().written).toBeGreaterThan(12_000);
      reader.run('COMMIT');
      while (statSync(`${path}-wal`).size > cutBytes) await add();
      expect(lines).toHaveLength(1);
    });

    test('only the writer moves the log if this SQLite can lose pages during a checkpoint', async () => {
      let pauseCount = 0;
      await using watched = await openWatched(({ writer }) => ({
        sqliteVersion: '3.51.2',
        writer: {
          ...writer,
          pauseCheckpoints() {
            pauseCount += 1;
            return writer.pauseCheckpoints();
          },
        },
      }));
      const { path, lines, add, index } = watched;
      expect(lines).toEqual([
        'SQLite 3.51.2 can lose committed data if a second thread checkpoints the log (https://sqlite.org/wal.html#walresetbug). So the writer does it alone, and the commit after a long read can take seconds',
      ]);
      using reader = openReaderConnection(path);
      reader.run('BEGIN');
      reader.query('SELECT count(*) FROM pets').get();
      while (index.pages().written < 20_000) await add();
      reader.run('COMMIT');
      await add();
      const { written, checkpointed } = index.pages();
      expect([checkpointed, pauseCount]).toEqual([written, 0]);
      expect(lines).toHaveLength(1);
    });

    test('the writer moves the log itself when each checkpoint leaves a long one', async () => {
      const ended = Promise.withResolvers<void>();
      let written = 0;
      await using watched = await openWatched(({ index, writer }) => ({
        // As if many commits were made during each checkpoint.
        index: {
          ...index,
          pages() {
            written += 20_000;
            return { written, checkpointed: written - 20_000 };
          },
        },
        writer: {
          ...writer,
          shortenWal() {
            ended.resolve();
            return writer.shortenWal();
          },
        },
      }));
      watched.log.check();
      await ended.promise;
      expect(watched.lines).toEqual([]);
    });

    test('a server that closes then leaves no log', async () => {
      await using file = await openUnderRead();
      file.endRead();
      await file.close();
      // The last connection removes it. It must be that of the writer.
      expect(existsSync(`${file.path}-wal`)).toBe(false);
    });

    test.each(['not in the file', 'in the file'])(
      'a server that closes before the read ends loses nothing, and the next one cuts a log that is %s in steps',
      async (place) => {
        await using file = await openUnderRead();
        await file.database[Symbol.asyncDispose]();
        file.endRead();
        if (place === 'in the file') {
          using other = openWriterConnection(file.path);
          other.run('PRAGMA wal_checkpoint(FULL)');
        }
        await using next = await open(file.path, true);
        while (file.countLeft() > 0n) await nextTurn();
        await expectSteps(file.logBytes, () => file.add(next));
        using reader = openReaderConnection(file.path);
        const { count } =
          reader.query<{ count: bigint }, []>('SELECT count(*) AS count FROM pets').get() ?? {};
        expect(Number(count)).toBe(file.added());
      },
    );
  });

  test('answers every page from an index, and reads only the rows that it returns', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await using database = await open(path);
    const pets = Array.from({ length: 5000 }, () => ({ name: 'Rex', categoryId: 1n }));
    await database.write(background, 'createPets', { workspaceId: 1n, pets });
    using connection = openReaderConnection(path);
    const plan = ({ sqlite }: Statement<object>, ...values: (bigint | number | string)[]) =>
      connection
        .query<{ detail: string }, (bigint | number | string)[]>(`EXPLAIN QUERY PLAN ${sqlite}`)
        .all(...values)
        .map(({ detail }) => detail);
    for (const [sort, bound] of [
      ['-id', 'id<?'],
      ['id', 'id>?'],
    ] as const) {
      const pages = petPages[sort];
      expect(plan(pages.all, 1n, 10n, 21)).toEqual([
        `SEARCH pets USING PRIMARY KEY (workspace_id=? AND ${bound})`,
      ]);
      expect(plan(pages.byStatus, 1n, 10n, 21, 'sold')).toEqual([
        `SEARCH pets USING COVERING INDEX pets_by_status (workspace_id=? AND status=? AND ${bound})`,
      ]);
      const nearby = selectNearby[sort];
      expect(plan(nearby.all, 1n, 10, 5)).toEqual(plan(pages.all, 1n, 10n, 21));
      expect(plan(nearby.ofStatus, 1n, 10, 5, 'sold')).toEqual(
        plan(pages.byStatus, 1n, 10n, 21, 'sold'),
      );
      const [search] = plan(pages.byIds, 1n, 10n, 21, '[1]', 'sold', '[1]');
      expect(search).toMatch(/^SEARCH pets USING .+ AND id=\?\)$/);
      const inCategory = `SEARCH pets USING COVERING INDEX pets_by_category (workspace_id=? AND category_id=? AND status=? AND ${bound})`;
      expect(plan(pages.byParentAndStatus, 1n, 10n, 21, 1n, 'sold')).toEqual([inCategory]);
      const merged = plan(pages.byParent, 1n, 10n, 21, 1n);
      expect(merged.filter((line) => line.startsWith('SEARCH'))).toEqual(Array(3).fill(inCategory));
      expect(merged.filter((line) => line.includes('TEMP B-TREE'))).toEqual([]);
      expect(merged[0]).toBe('MERGE (UNION ALL)');
    }
    const ofMarks = [
      ...plan(selectMarks.all, 1n, 10, 5, 9),
      ...plan(selectMarks.ofStatus, 1n, 10, 5, 9, 'sold'),
    ];
    expect(ofMarks.filter((line) => line.includes(' pets '))).toEqual([
      ...plan(selectNearby.id.all, 1n, 10, 5),
      ...plan(selectNearby.id.ofStatus, 1n, 10, 5, 'sold'),
    ]);
    const ofAnimal =
      'SEARCH orders USING INDEX orders_by_pet (workspace_id=? AND pet_id=? AND status=? AND id<?)';
    expect(plan(orderPages.byParentAndStatus, 1n, 10n, 21, 1n, 'shipped')).toEqual([ofAnimal]);
    const ofEach = plan(orderPages.byParent, 1n, 10n, 21, 1n);
    expect(ofEach.filter((line) => line.startsWith('SEARCH'))).toEqual(Array(3).fill(ofAnimal));
    const ofSeveral = plan(orderPages.byParents, 1n, 10n, 21, '[1,2]', 'sold');
    const covered = ofAnimal.replace('USING', 'USING COVERING');
    expect(ofSeveral.filter((line) => line.startsWith('SEARCH'))).toEqual([
      'SEARCH orders USING PRIMARY KEY (workspace_id=? AND id=?)',
      covered.replace('orders', 'found').replace('id<?', 'id>? AND id<?'),
      covered,
    ]);
    expect(plan(orderPages.byStatus, 1n, 10n, 21, 'shipped')).toEqual([
      'SEARCH orders USING INDEX orders_by_status (workspace_id=? AND status=? AND id<?)',
    ]);
    const ofRecord = plan(selectOfRecord, 1n, 10, 21, 7n, ...Array(4).fill('pet.created'));
    const ofType =
      'SEARCH events USING COVERING INDEX events_by_record (workspace_id=? AND record_id=? AND type=? AND sequence>?)';
    expect(ofRecord.filter((line) => / events\b/.test(line))).toEqual([
      'SEARCH events USING PRIMARY KEY (workspace_id=? AND sequence>?)',
      ...Array(4).fill(ofType),
      'SEARCH events USING PRIMARY KEY (workspace_id=? AND sequence=?) LEFT-JOIN',
    ]);
    const ofUser = 'USING INDEX console_tokens_by_api_key (api_key_digest=? AND created_at<?)';
    const ofShop = 'USING INDEX console_tokens_by_workspace (workspace_id=? AND created_at<?)';
    for (const [list, values, searches] of [
      [sessionLists.ofKey, ['a'], [ofUser]],
      [sessionLists.ofOwners, [], [ofUser]],
      [sessionLists.ofOwnersAndKeys, [1], [ofUser, ofShop]],
      [sessionLists.ofDigests, ['a', 'b'], ['USING PRIMARY KEY (digest>? AND digest<?)']],
    ] as const) {
      const ofSessions = plan(list, 0, 1000, '', 101, ...values).filter((line) =>
        line.includes(' console_tokens '),
      );
      expect(ofSessions).toEqual(searches.map((search) => `SEARCH console_tokens ${search}`));
    }
  });

  test('is not written to if it is already set up', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await (await open(path))[Symbol.asyncDispose]();
    using writing = new Connection(path, { readwrite: true });
    writing.run('BEGIN IMMEDIATE');
    await using database = await open(path);
    expect(await readApiKeys(database)).toEqual([]);
    writing.run('ROLLBACK');
  });

  test('serves one server through any symbolic link', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await using _server = await open(path, true);
    symlinkSync(path, join(folder.path, 'link.db'));
    await expect(open(join(folder.path, 'link.db'), true)).rejects.toThrow('is in use by a server');
  });

  test('with two hard links is refused, and not changed', async () => {
    using folder = makeTemporaryFolder();
    const env = { DATABASE_URL: 'sqlite:test.db' };
    await runProgram(['demo', '--animals', '1'], env, folder.path);
    await runProgram(['backup', 'good.db'], env, folder.path);
    const path = join(folder.path, 'test.db');
    linkSync(path, join(folder.path, 'link.db'));
    const before = readFileSync(path);
    for (const args of [
      ['serve', '--port', '0'],
      ['keys', 'list'],
      ['backup', 'backup.db'],
      ['restore', 'good.db'],
      ['copy', '--from', 'sqlite:test.db', '--to', 'sqlite:copy.db'],
      ['copy', '--from', 'sqlite:good.db', '--to', 'sqlite:test.db'],
    ]) {
      expect(await runProgram(args, env, folder.path)).toEqual(
        refusal(
          'test.db has 2 hard links, and two servers could use the file by different names at once: remove all but one',
        ),
      );
    }
    expect(readFileSync(path)).toEqual(before);
  });

  test('is verified with any number of links, as a backup may have', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await (await open(path))[Symbol.asyncDispose]();
    linkSync(path, join(folder.path, 'link.db'));
    expect((await runProgram(['verify'], { DATABASE_URL: `sqlite:${path}` })).exitCode).toBe(0);
  });

  const oddFiles = ['fifo', 'folder', 'socket', '/dev/null'];
  const usesOfData = [
    ['serve', '--port', '0'],
    ['keys', 'create', '--name', 'a'],
    ['keys', 'list'],
    ['verify'],
    ['backup', 'backup.db'],
    ['restore', 'good.db'],
    ['copy', '--from', 'sqlite:$', '--to', 'sqlite:copy.db'],
    ['copy', '--from', 'sqlite:good.db', '--to', 'sqlite:$'],
  ];

  test.each(oddFiles)('is refused by every command in one line if it is %s', async (odd) => {
    using folder = makeTemporaryFolder();
    const inFolder = (args: readonly string[], env: Record<string, string>) =>
      runProgram(args, env, folder.path);
    await inFolder(['demo', '--animals', '1'], { DATABASE_URL: 'sqlite:data.db' });
    await inFolder(['backup', 'good.db'], { DATABASE_URL: 'sqlite:data.db' });
    Bun.spawnSync(['mkfifo', 'fifo'], { cwd: folder.path });
    mkdirSync(join(folder.path, 'folder'));
    using _socket = Bun.listen({ unix: join(folder.path, 'socket'), socket: { data() {} } });
    const before = readdirSync(folder.path).sort();
    for (const args of usesOfData) {
      const run = await inFolder(
        args.map((arg) => arg.replace('$', odd)),
        { DATABASE_URL: `sqlite:${odd}` },
      );
      expect(run).toEqual(refusal(`${odd} is not a regular file`));
    }
    // A copy locks its source.
    expect(readdirSync(folder.path).sort()).toEqual([...before, 'good.db.lock'].sort());
  });

  test('that is empty is used for new data, with a warning', async () => {
    using folder = makeTemporaryFolder();
    for (const name of ['server.db', 'command.db']) writeFileSync(join(folder.path, name), '');
    const path = join(folder.path, 'command.db');
    const env = { DATABASE_URL: `sqlite:${path}` };
    expect((await runProgram(['keys', 'create', '--name', 'a'], env)).stderr).toBe(
      `Created a new database in ${path}, which was an empty file\n`,
    );
    await using server = await startServerProcess(`sqlite:${folder.path}/server.db`);
    expect(server.output().stdout).toMatch(
      /"level":40,.*"path":"\S+server.db","msg":"created a new database in an existing empty file"/,
    );
  });

  test('on a full disk fails writes that need space, and accepts them when it has space', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await (await open(path))[Symbol.asyncDispose]();
    using connection = openWriterConnection(path);
    const transact = createTransact(connection);
    const createPet = (name: string) => ({
      name: 'createPet' as const,
      input: { workspaceId: 1n, pet: { name, categoryId: 1n } },
      key: undefined,
    });
    const group = Array.from({ length: 500 }, () => createPet('x'.repeat(250)));
    const pages = Object.values(connection.query('PRAGMA page_count').get() ?? {})[0];
    connection.run(`PRAGMA max_page_count = ${pages}`);
    const failed = await commitGroup(transact, group);
    expect(failed).toHaveLength(group.length);
    expect(new Set(failed.map((outcome) => 'error' in outcome && outcome.error)).size).toBe(1);
    expect(failed[0]).toMatchObject({ error: { name: 'DatabaseUnavailable', isFull: true } });
    connection.run('PRAGMA max_page_count = 100000');
    expect(await commitGroup(transact, [createPet('Rex')])).toMatchObject([{ ok: { id: 1n } }]);
  });

  test('is found sound and backed up while other processes open and close it', async () => {
    // In memory they do it so often that the file may change during a backup, which is then refused.
    using folder = makeTemporaryFolder(diskFolder);
    const path = join(folder.path, 'test.db');
    await (await open(path))[Symbol.asyncDispose]();
    const script = `
      const { openWritableConnection } = await import('${join(import.meta.dir, '../src/sqlite/connection.ts')}');
      for (let count = 0; ; count += 1) {
        using connection = openWritableConnection(process.argv[1]);
        // Two such loops can hold the lock for longer than the usual 3 s.
        connection.run('PRAGMA busy_timeout = 60000');
        connection.run('UPDATE workspaces SET version = version + 1');
        if (count === 0) console.log('open');
      }
    `;
    const children = [1, 2].map(() => Bun.spawn([process.execPath, '-e', script, path]));
    for (const child of children) await child.stdout.getReader().read();
    for (let round = 0; round < 100; round += 1) {
      expect((await verifyFile(path)).found).toMatchObject({ animals: 0 });
    }
    for (let round = 0; round < 5; round += 1) {
      const backup = await backUpFile(path, join(folder.path, `${round}.db`), {
        now: 0,
        onBegin: () => {},
        onVerify: async () => {},
      });
      expect(backup.animals).toBe(0);
    }
    for (const child of children) {
      expect(child.exitCode).toBeNull();
      child.kill('SIGKILL');
      await child.exited;
    }
  });

  test('is not reported as damaged while another process locks it', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await (await open(path))[Symbol.asyncDispose]();
    using keeping = new Connection(path);
    keeping.run('PRAGMA locking_mode = EXCLUSIVE');
    keeping.run('UPDATE meta SET environment = environment');
    expect(await runProgram(['verify'], { DATABASE_URL: `sqlite:${path}` })).toEqual(
      refusal(`${path} cannot be verified: the data is in use by another process; try again`),
    );
  });

  test('that becomes unreadable is unavailable after its next change', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await using database = await open(path);
    const before = database.dataVersion();
    {
      using writing = new Connection(path);
      writing.run('PRAGMA wal_checkpoint(TRUNCATE)');
      const file = openSync(path, 'r+');
      writeSync(file, 'This is not a database any more.', 0);
      closeSync(file);
      // The first page is cached. After this change it is read again.
      writing.run('UPDATE workspaces SET created_at = created_at + 1');
    }
    expect(database.dataVersion()).not.toBe(before);
    await expect(async () => database.findApiKey(background, '')).toThrow(DatabaseUnavailable);
  });

  test('with a damaged page fails the writes that need it, and says that it is damaged', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await (await open(path))[Symbol.asyncDispose]();
    {
      using connection = new Connection(path);
      const select = `SELECT (rootpage - 1) * page_size AS at FROM sqlite_schema, pragma_page_size WHERE name = 'pets'`;
      const { at = 0 } = connection.query<{ at: number }, []>(select).get() ?? {};
      writeFileSync(path, readFileSync(path).fill(0xff, at, at + 8));
    }
    await using database = await open(path);
    const input = { workspaceId: 1n, pet: { name: 'Rex', categoryId: 1n } };
    const error = await database
      .write(background, 'createPet', input)
      .catch((error: unknown) => error);
    expect(error).toMatchObject({ name: 'DatabaseUnavailable', isDamaged: true });
  });

  test('is refused in one line if its lock cannot be opened', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    writeFileSync(path, '');
    mkdirSync(`${path}.lock`);
    await expect(open(path, true)).rejects.toThrow(
      new DatabaseUnusable(
        `${path}.lock cannot be opened: SQLITE_CANTOPEN, unable to open it, or to create files beside it: check the owner of the file and of its folder, and whether its disk is read-only`,
      ),
    );
  });

  test('has only STRICT tables', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await using _database = await open(path);
    using connection = openReaderConnection(path);
    const loose = connection
      .query("SELECT name FROM pragma_table_list WHERE strict = 0 AND name NOT LIKE 'sqlite_%'")
      .all();
    expect(loose).toEqual([]);
  });

  test('is created with its folder, readable by its owner alone, and left without a log', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'a/b/test.db');
    await (await open(path))[Symbol.asyncDispose]();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder.path, 'a/b')).sort()).toEqual([
      'test.db',
      'test.db.life',
      'test.db.lock',
    ]);
    expect(statSync(`${path}.lock`).mode & 0o777).toBe(0o600);
  });

  test('with the schema of a newer program is refused, and not changed', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await (await open(path))[Symbol.asyncDispose]();
    {
      using connection = new Connection(path);
      connection.run(`UPDATE meta SET schema_version = ${schemaVersion + 1}`);
    }
    await expect(open(path)).rejects.toThrow(
      `${path} has schema version ${schemaVersion + 1}, and this version of animal-store knows versions up to ${schemaVersion}`,
    );
    using connection = new Connection(path);
    expect(connection.query('SELECT schema_version FROM meta').get()).toEqual({
      schema_version: schemaVersion + 1,
    });
  });

  test('that belongs to another program is refused, and not changed', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    {
      using connection = new Connection(path, { create: true });
      connection.run('CREATE TABLE theirs (a)');
    }
    const before = readFileSync(path);
    await expect(open(path)).rejects.toThrow(`${path} is a SQLite database of another program`);
    expect(readFileSync(path)).toEqual(before);
  });

  test('that is not a database is refused', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    writeFileSync(path, 'This is a letter to my aunt, and not a database.'.repeat(10));
    await expect(open(path)).rejects.toThrow(
      `${path} cannot be opened: it is not a SQLite database, or its beginning is damaged`,
    );
  });

  test('serves one server at a time, and commands beside it', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    {
      await using _server = await open(path, true);
      await expect(open(path, true)).rejects.toThrow(`${path} is in use by a server`);
      await using _command = await open(path);
    }
    await using _next = await open(path, true);
  });

  test.each([
    [['keys', 'create', '--name', 'a']],
    [['keys', 'list']],
    [['demo', '--animals', '1']],
  ])('that is copied or restored is refused to %p, which writes nothing', async (args) => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await (await open(path))[Symbol.asyncDispose]();
    const before = readFileSync(path);
    using lock = new Connection(`${path}.lock`, { create: true, readwrite: true });
    lock.run('BEGIN EXCLUSIVE');
    expect(await runProgram(args, { DATABASE_URL: `sqlite:${path}` })).toEqual(
      refusal(`${path} is being copied or restored: try again later`),
    );
    expect(readFileSync(path)).toEqual(before);
  });

  test('keeps its lock when a second open in the same process fails', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await using _server = await open(path, true);
    await expect(open(path, true)).rejects.toThrow('is in use by a server');
    expect(
      await runProgram(['serve', '--port', '0'], {
        DATABASE_URL: `sqlite:${path}`,
      }),
    ).toEqual(
      refusal(
        `${path} is in use by a server, or by a command that copies or restores it: stop it first`,
      ),
    );
  });

  test('is migrated once when many open it at the same moment', async () => {
    const script = `
      const { openSqliteDatabase } = await import('${join(import.meta.dir, '../src/sqlite/database.ts')}');
      const { background } = await import('${join(import.meta.dir, '../src/context/context.ts')}');
      await using database = await openSqliteDatabase({ path: process.argv[1], asServer: false, now: Date.now });
      console.log((await database.listWorkspaceNames(background, '', 9)).length);
    `;
    for (let round = 0; round < 3; round += 1) {
      using folder = makeTemporaryFolder();
      const path = join(folder.path, 'test.db');
      const outputs = await Promise.all(
        Array.from({ length: 6 }, async () => {
          const child = Bun.spawn([process.execPath, '-e', script, path], { stderr: 'pipe' });
          await child.exited;
          return [await new Response(child.stdout).text(), await new Response(child.stderr).text()];
        }),
      );
      expect(outputs).toEqual(Array(6).fill(['1\n', '']));
    }
  });
});
