import { Database as Connection } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { damageAdvice } from './support/damage-advice.ts';
import { prepareOldStore } from './support/old-store.ts';
import { runProgram, spawnProgram, startServerProcess } from './support/server-process.ts';
import { hasSmallDisks, onReadOnlyFolder } from './support/small-disk.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** A file of data with some animals, and the program run on it. */
async function prepare(animals = 100) {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'animals.db');
  const run = (...args: string[]) => runProgram(args, { DATABASE_URL: `sqlite:${path}` });
  await run('demo', '--animals', String(animals));
  return {
    path,
    backup: join(folder.path, 'backup.db'),
    folder: folder.path,
    run,
    add: async () => {
      await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
      const pet = { name: 'Rex', categoryId: 1n };
      return (await database.write('createPet', { workspaceId: 1n, pet }))?.id;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** Changes a name in one place of two, and has the manifest say that it is so. */
function ruinWithManifest(backup: string): void {
  const text = readFileSync(backup, 'latin1');
  const place = text.indexOf('Fluffy');
  const ruined = Buffer.from(`${text.slice(0, place)}G${text.slice(place + 1)}`, 'latin1');
  writeFileSync(backup, ruined);
  const sha256 = new Bun.CryptoHasher('sha256').update(ruined).digest('hex');
  const manifest = JSON.parse(readFileSync(`${backup}.json`, 'utf8'));
  writeFileSync(`${backup}.json`, JSON.stringify({ ...manifest, sha256 }));
}

async function auditEvents(store: Awaited<ReturnType<typeof prepare>>): Promise<string[]> {
  const entries = JSON.parse((await store.run('audit', '--json')).stdout) as { event: string }[];
  return entries.map(({ event }) => event);
}

describe('backup', () => {
  test('holds exactly the first animals that were acknowledged, and all from before it began', async () => {
    using store = await prepare(2000);
    await using server = await startServerProcess(`sqlite:${store.path}`, {
      env: { ANIMAL_STORE_API_KEY: 'key-of-the-backup-test' },
    });
    let writing = true;
    let last = 2000;
    const writers = Array.from({ length: 8 }, async () => {
      while (writing) {
        const response = await fetch(`${server.origin}/v1/pets`, {
          method: 'POST',
          headers: {
            authorization: 'Bearer key-of-the-backup-test',
            'content-type': 'application/json',
          },
          body: '{"name":"Rex","categoryId":1}',
        });
        last = Math.max(last, ((await response.json()) as { id: number }).id);
      }
    });
    for (let round = 0; round < 5; round += 1) {
      const before = last;
      const file = `${store.backup}-${round}`;
      const { exitCode, stderr } = await store.run('backup', file);
      expect([exitCode, stderr]).toEqual([0, '']);
      using connection = new Connection(file, { readonly: true });
      const found = connection.query('SELECT count(*) AS count, max(id) AS last FROM pets').get();
      const { count, last: lastInBackup } = found as { count: number; last: number };
      expect(count).toBe(lastInBackup);
      expect(lastInBackup).toBeGreaterThanOrEqual(before);
      const manifest = JSON.parse(readFileSync(`${file}.json`, 'utf8'));
      expect(manifest).toMatchObject({ animals: count, bytes: statSync(file).size });
      expect([modeOf(file), modeOf(`${file}.json`)]).toEqual([0o600, 0o600]);
    }
    writing = false;
    await Promise.all(writers);
    expect(last).toBeGreaterThan(2000);
  });

  test('of a file that a symbolic link leads to holds what is only in the log', async () => {
    using store = await prepare();
    await using _server = await startServerProcess(`sqlite:${store.path}`);
    expect(await store.add()).toBe(101n);
    const link = join(store.folder, 'link');
    symlinkSync(store.path, link);
    const { stdout } = await runProgram(['backup', store.backup], {
      DATABASE_URL: `sqlite:${link}`,
    });
    expect(stdout).toStartWith('Backed up 101 animals and 1 key to ');
  });

  test('has its name only once it is whole, however its making ends', async () => {
    using store = await prepare(20_000);
    for (let milliseconds = 20; milliseconds < 200; milliseconds += 20) {
      const child = spawnProgram(['backup', store.backup], {
        DATABASE_URL: `sqlite:${store.path}`,
      });
      const partial = `${store.backup}.partial`;
      while (!existsSync(partial) && child.exitCode === null) await new Promise(setImmediate);
      child.kill('SIGKILL');
      await child.exited;
      if (existsSync(store.backup)) {
        expect((await store.run('verify', '--database', `sqlite:${store.backup}`)).exitCode).toBe(
          0,
        );
        rmSync(store.backup);
      }
    }
    expect((await store.run('backup', store.backup)).exitCode).toBe(0);
    expect(readdirSync(store.folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('that is interrupted ends by the signal and leaves nothing', async () => {
    using store = await prepare(300_000);
    const child = spawnProgram(['backup', store.backup], { DATABASE_URL: `sqlite:${store.path}` });
    const partial = `${store.backup}.partial`;
    while (!existsSync(partial) && child.exitCode === null) await new Promise(setImmediate);
    child.kill('SIGINT');
    await child.exited;
    expect(child.signalCode).toBe('SIGINT');
    expect(readdirSync(store.folder).filter((name) => name.startsWith('backup'))).toEqual([]);
  });

  test('replaces the manifest of one that was killed, and no other file of that name', async () => {
    using store = await prepare();
    await store.run('backup', store.backup);
    rmSync(store.backup);
    expect((await store.run('backup', store.backup)).exitCode).toBe(0);
    rmSync(store.backup);
    writeFileSync(`${store.backup}.json`, '{}');
    const { exitCode, stderr } = await store.run('backup', store.backup);
    expect([exitCode, stderr]).toEqual([
      1,
      `animal-store: ${store.backup}.json is there already: name another\n`,
    ]);
    expect(readFileSync(`${store.backup}.json`, 'utf8')).toBe('{}');
  });

  test('of one animal and one key is told in the singular', async () => {
    using store = await prepare(1);
    await store.run('keys', 'create', '--name', 'a');
    expect((await store.run('backup', store.backup)).stdout).toStartWith(
      'Backed up 1 animal and 1 key to ',
    );
    expect((await store.run('restore', store.backup)).stdout).toStartWith(
      'Restored 1 animal and 1 key of ',
    );
  });

  test.skipIf(!hasSmallDisks(tmpdir()))(
    'names what it cannot read or write where a folder is read-only',
    async () => {
      using store = await prepare();
      mkdirSync(join(store.folder, 'elsewhere'));
      const backup = join(store.folder, 'elsewhere/backup.db');
      const run = async (readOnly: string) => {
        const env = { DATABASE_URL: `sqlite:${store.path}` };
        const child = spawnProgram(['backup', backup], env, undefined, onReadOnlyFolder(readOnly));
        return [await child.exited, await new Response(child.stderr).text()];
      };
      expect(await run(join(store.folder, 'elsewhere'))).toEqual([
        1,
        `animal-store: ${backup} cannot be written: EROFS: read-only file system, open '${backup}.partial-wal'\n`,
      ]);
      // The last that writes takes away what a reader needs beside the file, and leaves.
      await store.run('keys', 'list');
      expect(await run(store.folder)).toEqual([
        1,
        `animal-store: ${store.path} cannot be read: SQLITE_CANTOPEN, unable to open it, or to make the files -wal and -shm beside it\n`,
      ]);
    },
  );

  test('of what is not this program’s says so, and leaves nothing', async () => {
    using store = await prepare();
    writeFileSync(join(store.folder, 'letter'), 'Dear aunt, this is a letter.'.repeat(10));
    {
      using connection = new Connection(join(store.folder, 'theirs'), { create: true });
      connection.run('CREATE TABLE theirs (a)');
    }
    for (const [name, line] of [
      ['letter', 'cannot be read: it is not a SQLite database, or its beginning is damaged'],
      ['theirs', 'is a SQLite database of another program'],
    ] as const) {
      const path = join(store.folder, name);
      const env = { DATABASE_URL: `sqlite:${path}` };
      const { exitCode, stderr } = await runProgram(['backup', 'b.db'], env, store.folder);
      expect([exitCode, stderr]).toEqual([1, `animal-store: ${path} ${line}\n`]);
    }
    expect(readdirSync(store.folder).filter((name) => name.startsWith('b.db'))).toEqual([]);
  });

  test('never replaces a file', async () => {
    using store = await prepare();
    writeFileSync(store.backup, 'a letter');
    const { exitCode, stderr } = await store.run('backup', store.backup);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(`animal-store: ${store.backup} is there already: name another\n`);
    expect(readFileSync(store.backup, 'utf8')).toBe('a letter');
  });

  test('of PostgreSQL is left to its own tools', async () => {
    const { exitCode, stderr } = await runProgram(['backup', 'file'], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing',
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('pg_dump backs it up');
  });
});

describe('restore', () => {
  test('brings the data back, and gives out no id again', async () => {
    using store = await prepare();
    await store.run('backup', store.backup);
    expect(await store.add()).toBe(101n);
    expect(await store.add()).toBe(102n);
    const { exitCode, stdout } = await store.run('restore', store.backup);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^Restored 100 animals and 0 keys of \S+Z, in the place of 102 animals\.\n/,
    );
    expect(await store.add()).toBe(103n);
  });

  test('goes on with the audit trail of what it replaces, and is told of in it', async () => {
    using store = await prepare();
    await store.run('keys', 'create', '--name', 'Before');
    await store.run('backup', store.backup);
    await store.run('keys', 'create', '--name', 'After');
    await store.run('keys', 'revoke', '1');
    expect((await store.run('restore', store.backup)).stdout).not.toContain('audit trail');
    expect((await store.run('verify')).exitCode).toBe(0);
    const events = await auditEvents(store);
    expect(events).toEqual([
      'api_key_created',
      'api_key_created',
      'api_key_revoked',
      'backup_restored',
    ]);
  });

  test('brings a backup of the first schema to that of the program', async () => {
    using store = await prepare(1);
    await using old = await prepareOldStore('sqlite');
    await runProgram(['backup', store.backup], { DATABASE_URL: old.url });
    expect(await old.readVersion()).toBe(1);
    const manifest = JSON.parse(readFileSync(`${store.backup}.json`, 'utf8'));
    expect(manifest).toMatchObject({ schemaVersion: 1, animals: 1 });
    expect((await store.run('restore', store.backup, '--id-gap', '0')).exitCode).toBe(0);
    expect(await store.add()).toBe(8n);
    expect(await auditEvents(store)).toEqual(['schema_migrated', 'backup_restored']);
    expect((await store.run('verify')).exitCode).toBe(0);
  });

  test('says where the audit trail of what it replaces is lost', async () => {
    using store = await prepare();
    using other = await prepare();
    await store.run('keys', 'create', '--name', 'Here');
    await other.run('keys', 'create', '--name', 'There');
    await other.run('backup', other.backup);
    const { stdout } = await store.run('restore', other.backup);
    expect(stdout).toContain('The audit trail of the replaced data is damaged or another one');
    expect((await store.run('verify')).exitCode).toBe(0);
    expect(await auditEvents(store)).toEqual(['api_key_created', 'backup_restored']);
  });

  test.each([
    ['gone', (path: string) => rmSync(path)],
    ['damaged', (path: string) => writeFileSync(path, 'x'.repeat(100_000))],
  ])('goes on far above where what it replaces is %s', async (_state, ruin) => {
    using store = await prepare();
    await store.run('backup', store.backup);
    ruin(store.path);
    const { exitCode, stdout } = await store.run('restore', store.backup, '--id-gap', '5000');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('5000 above')]);
    expect(stdout).not.toContain('in the place of');
    expect(await store.add()).toBe(5101n);
  });

  test('leaves the data to be read by its owner alone, whoever may read the backup', async () => {
    using store = await prepare();
    await store.run('backup', store.backup);
    const modes = () =>
      Object.fromEntries(
        readdirSync(store.folder).map((name) => [name, modeOf(join(store.folder, name))]),
      );
    for (const path of [store.path, store.backup]) chmodSync(path, 0o644);
    expect((await store.run('restore', store.backup)).exitCode).toBe(0);
    await using _database = await openSqliteDatabase({
      path: store.path,
      asServer: false,
      now: Date.now,
    });
    expect(modes()).toEqual({
      'animals.db': 0o600,
      'animals.db-shm': 0o600,
      'animals.db-wal': 0o600,
      'animals.db.lock': 0o600,
      'backup.db': 0o644,
      'backup.db.json': 0o600,
    });
  });

  test('goes on far above where new data was made in the place of what is gone', async () => {
    using store = await prepare();
    {
      using connection = new Connection(store.path);
      connection.run('UPDATE workspaces SET created_at = created_at - 1000');
    }
    await store.run('backup', store.backup);
    expect(await store.add()).toBe(101n);
    rmSync(store.path);
    expect(await store.add()).toBe(1n);
    const { stdout } = await store.run('restore', store.backup, '--id-gap', '5000');
    expect(stdout).toContain(
      '\nThe replaced data is not that of the backup, and does not tell which ids were given out since: they go on 5000 above those of the backup.\n',
    );
    expect(await store.add()).toBe(5101n);
  });

  test('refuses a backup in which one bit is another', async () => {
    using store = await prepare();
    await store.run('backup', store.backup);
    const bytes = readFileSync(store.backup);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(store.backup, bytes);
    const before = readFileSync(store.path);
    const { exitCode, stderr } = await store.run('restore', store.backup);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `animal-store: ${store.backup} is damaged: it is not what its manifest says\n`,
    );
    expect(readFileSync(store.path)).toEqual(before);
  });

  test('that fails leaves no file where none was', async () => {
    using store = await prepare();
    await store.run('backup', store.backup);
    rmSync(store.path);
    ruinWithManifest(store.backup);
    const { exitCode, stderr } = await store.run('restore', store.backup);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The data is damaged')]);
    expect(existsSync(store.path)).toBe(false);
    expect(readdirSync(store.folder).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  test('refuses while a command has the data open, and leaves it whole', async () => {
    using store = await prepare();
    await store.run('backup', store.backup);
    await store.add();
    {
      using reader = new Connection(store.path, { readwrite: true });
      reader.run('PRAGMA journal_mode = WAL');
      reader.run('BEGIN');
      reader.query('SELECT count(*) FROM pets').get();
      const { exitCode, stderr } = await store.run('restore', store.backup);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('cannot be restored')]);
      reader.run('COMMIT');
    }
    expect(await store.add()).toBe(102n);
  });

  test('refuses while a command runs that may yet write, and leaves the data as it was', async () => {
    using store = await prepare();
    await store.run('backup', store.backup);
    await using database = await openSqliteDatabase({
      path: store.path,
      asServer: false,
      now: Date.now,
    });
    expect(await store.run('restore', store.backup)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `animal-store: ${store.path} is in use by an animal-store command: try again once that is done\n`,
    });
    const pet = { name: 'Rex', categoryId: 1n };
    expect((await database.write('createPet', { workspaceId: 1n, pet }))?.id).toBe(101n);
  });

  test('refuses while a server runs', async () => {
    using store = await prepare();
    await store.run('backup', store.backup);
    await using _server = await startServerProcess(`sqlite:${store.path}`);
    const { exitCode, stderr } = await store.run('restore', store.backup);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('is in use by another animal-store server');
  });
});

describe('verify', () => {
  test('finds no damage in sound data, also while a server runs', async () => {
    using store = await prepare();
    await using _server = await startServerProcess(`sqlite:${store.path}`);
    const { exitCode, stdout } = await store.run('verify');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /default +100 +101\nAudit trail: 1 entry, the last [0-9a-f]{64}\nNo damage was found\.\n$/,
    );
  });

  test('tells of a counter that would give out an id again', async () => {
    using store = await prepare();
    {
      using connection = new Connection(store.path);
      connection.run('UPDATE workspaces SET next_pet_id = 100');
    }
    const { exitCode, stderr } = await store.run('verify');
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `animal-store: Workspace default would give out an id again\n${damageAdvice}`,
    );
  });

  test('of a file that is not there says no more than that', async () => {
    using store = await prepare();
    rmSync(store.path);
    expect(await store.run('verify')).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `animal-store: There is no store in ${store.path}\n`,
    });
  });

  test.each([
    [
      'a text',
      (path: string) => writeFileSync(path, 'Dear aunt, this is a letter.'.repeat(10)),
      'FILE cannot be verified: it is not a SQLite database, or its beginning is damaged',
    ],
    [
      'the database of another program',
      (path: string) => {
        using connection = new Connection(path, { create: true });
        connection.run('CREATE TABLE theirs (a)');
      },
      'FILE is a SQLite database of another program',
    ],
    ['an empty file', (path: string) => writeFileSync(path, ''), 'There is no store in FILE'],
    [
      'an empty database',
      (path: string) => {
        using connection = new Connection(path, { create: true });
        connection.run('PRAGMA journal_mode = WAL');
      },
      'There is no store in FILE',
    ],
  ])('of %s says what it is, and nothing of damage', async (_, make, line) => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'other');
    make(path);
    expect(await runProgram(['verify'], { DATABASE_URL: `sqlite:${path}` })).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `animal-store: ${line.replace('FILE', path)}\n`,
    });
  });

  test('tells of an index that is not what its table is', async () => {
    using store = await prepare();
    {
      using connection = new Connection(store.path);
      connection.run('PRAGMA journal_mode = DELETE');
    }
    const text = readFileSync(store.path, 'latin1');
    // The name stands in the table and in the index by status; one of them changes.
    const place = text.indexOf('Fluffy');
    writeFileSync(store.path, `${text.slice(0, place)}G${text.slice(place + 1)}`, 'latin1');
    const { exitCode, stderr } = await store.run('verify');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('pets_by_status');
  });
});
