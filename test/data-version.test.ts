import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { background } from '../src/context/context.ts';
import { openReaderConnection } from '../src/sqlite/connection.ts';
import {
  createDataVersion,
  createNoteCommit,
  createOwnCommits,
  openWalIndex,
} from '../src/sqlite/data-version.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { okOf } from './support/outcome.ts';
import { startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const rounds = 300;

test('no stale page is served while another process writes, also under a full load of requests', async () => {
  using folder = makeTemporaryFolder();
  const path = join(folder.path, 'test.db');
  await using server = await startServerProcess(`sqlite:${path}`);
  const headers = { authorization: `Bearer ${server.firstKey}` };

  // Keeps the page in the response cache and the event loop full of other requests.
  let busy = true;
  const readers = Array.from({ length: 8 }, async () => {
    let count = 0;
    while (busy) {
      await (await fetch(`${server.origin}/v1/pets?limit=1`, { headers })).arrayBuffer();
      count += 1;
    }
    return count;
  });

  // Another process writes to the file. After each commit it requests the new record from the server.
  const script = `
    const { openSqliteDatabase } = await import('${join(import.meta.dir, '../src/sqlite/database.ts')}');
    const { background } = await import('${join(import.meta.dir, '../src/context/context.ts')}');
    await using database = await openSqliteDatabase({ path: process.env.FILE, asServer: false, now: Date.now });
    let stale = 0;
    for (let round = 0; round < ${rounds}; round += 1) {
      const pet = await database.write(background, 'createPet', { workspaceId: 1n, pet: { name: 'Rex', categoryId: 1n } });
      const response = await fetch(process.env.URL, { headers: { authorization: process.env.AUTHORIZATION } });
      const [first] = await response.json();
      if (first?.id !== Number(pet.ok.id)) stale += 1;
    }
    console.log(stale);
  `;
  const child = Bun.spawn([process.execPath, '-e', script], {
    env: {
      PATH: process.env.PATH,
      FILE: path,
      URL: `${server.origin}/v1/pets?limit=1`,
      AUTHORIZATION: headers.authorization,
    },
    stderr: 'inherit',
  });
  expect(await new Response(child.stdout).text()).toBe('0\n');
  busy = false;
  const reads = (await Promise.all(readers)).reduce((sum, count) => sum + count, 0);
  expect(reads).toBeGreaterThan(rounds);
});

test.each([
  ['the index of the log', true],
  ['SQLite without a readable index', false],
])(
  'the next check of %s sees a commit in the same turn of the event loop',
  async (_title, hasIndex) => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await using _database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
    // It stays open, because closing it would end the locks of SQLite.
    using index = hasIndex ? openWalIndex(openSync(`${path}-shm`, 'r')) : undefined;
    using connection = openReaderConnection(path);
    const { dataVersion, accessVersion } = createDataVersion(connection, index);
    using other = new Database(path);
    const seen = [dataVersion(), dataVersion()];
    const accessSeen = [accessVersion(), accessVersion()];
    for (let commit = 0; commit < 100; commit += 1) {
      other.run('UPDATE workspaces SET version = version + 1');
      seen.push(dataVersion());
      accessSeen.push(accessVersion());
      // Changes nothing, and makes the log start again.
      if (commit % 10 === 0) other.run('PRAGMA wal_checkpoint(RESTART)');
    }
    expect(seen[1]).toBe(seen[0]);
    expect(new Set(seen).size).toBe(101);
    expect(accessSeen[1]).toBe(accessSeen[0]);
    expect(new Set(accessSeen).size).toBe(101);
    if (hasIndex) expect(seen.every((version) => Number(version) > 0)).toBe(true);
  },
);

const pet = { workspaceId: 1n, pet: { name: 'Rex', categoryId: 1n } } as const;

test('the access version is the same after own commits of records, and changes with all others', async () => {
  using folder = makeTemporaryFolder();
  const path = join(folder.path, 'test.db');
  await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
  using other = new Database(path);
  const addPet = async () => {
    const dataVersion = database.dataVersion();
    okOf(await database.write(background, 'createPet', pet));
    expect(database.dataVersion()).not.toBe(dataVersion);
    return database.accessVersion();
  };
  const seen = new Set<number>();
  for (let round = 0; round < 10; round += 1) {
    seen.add(await addPet());
    // The log starts again with the next commit of the server, which is no change.
    if (round === 5) other.run('PRAGMA wal_checkpoint(FULL)');
  }
  expect(seen.size).toBe(1);
  const versions = [...seen];
  // Nothing reads the version between the commit of the other process and the next own one.
  other.run('UPDATE workspaces SET version = version + 1');
  versions.push(await addPet());
  other.run('UPDATE workspaces SET version = version + 1');
  versions.push(database.accessVersion(), await addPet());
  await database.write(background, 'createWorkspace', { name: 'other', now: 0 });
  versions.push(database.accessVersion());
  await Promise.all([
    database.write(background, 'createPet', pet),
    database.write(background, 'createWorkspace', { name: 'another', now: 0 }),
  ]);
  versions.push(database.accessVersion());
  expect(new Set(versions).size).toBe(versions.length);
  expect(await addPet()).toBe(versions.at(-1) ?? 0);
});

test('a commit of another process just after an own one is not taken for it', () => {
  const { memory, accessCountAt } = createOwnCommits();
  let commits = 4_294_967_290;
  let ownCommits = 0;
  const readCommit = () => [commits >>> 0, 2, 3, 4];
  const noteCommit = createNoteCommit(readCommit, memory);
  const countAfterCommit = (commitsOfOthers = 0, ownChanges = 1) => {
    commits += ownChanges + commitsOfOthers;
    ownCommits += ownChanges;
    noteCommit(true, ownCommits);
    return accessCountAt(readCommit());
  };
  const count = countAfterCommit();
  expect(count).toBeDefined();
  for (let round = 0; round < 10; round += 1) expect(countAfterCommit()).toBe(count);
  expect(countAfterCommit(0, 0)).toBe(count);
  expect(accessCountAt([1, 2, 3, 5])).toBeUndefined();
  expect(countAfterCommit(1)).toBeUndefined();
  expect(countAfterCommit()).not.toBe(count);
  expect(countAfterCommit(1, 0)).toBeUndefined();
});

// When one process closes a file, the system ends all its locks on the file. Without them, a command that opens the data
// beside the server would truncate the index in use.
test.skipIf(process.platform !== 'linux')(
  'a server that reads the index of the log keeps its locks on it',
  async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await using server = await startServerProcess(`sqlite:${path}`);
    const headers = { authorization: `Bearer ${server.firstKey}` };
    expect((await fetch(`${server.origin}/v1/pets`, { headers })).status).toBe(200);
    const { ino } = statSync(`${path}-shm`);
    const locks = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .filter((line) => line.includes(` ${server.pid} `) && line.includes(`:${ino} `));
    expect(locks).not.toEqual([]);
  },
);
