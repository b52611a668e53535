import { Database as Connection } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { background } from '../src/context/context.ts';
import type { RecordReference } from '../src/domain/event.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { openFileReader } from '../src/sqlite/file/file-reader.ts';
import { schemaVersion } from '../src/storage/schema/prepare-schema.ts';
import { addedId } from './support/call-server.ts';
import { damageAdvice } from './support/damage-advice.ts';
import { makeDataFile } from './support/data-files.ts';
import { makeNewerProgram } from './support/newer-program.ts';
import { okOf } from './support/outcome.ts';
import { refusal, runProgram, spawnProgram, startServerProcess } from './support/server-process.ts';
import { hasSmallDisks, onReadOnlyFolder } from './support/small-disk.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** A data file with animals, and the program that uses it. */
async function prepare(animals = 100) {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'animals.db');
  const run = (...args: string[]) => runProgram(args, { DATABASE_URL: `sqlite:${path}` });
  await makeDataFile(path, animals);
  return {
    path,
    backup: join(folder.path, 'backup.db'),
    folder: folder.path,
    run,
    add: async () => {
      await using database = await openSqliteDatabase({
        path,
        asServer: false,
        createData: 'always',
        now: Date.now,
      });
      const pet = { name: 'Rex', categoryId: 1n };
      const origin = { requestId: 'request', actor: 'owner', now: Date.now() } as const;
      return okOf(await database.write(background, 'createPet', { workspaceId: 1n, pet, origin }))
        .id;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** Adds a commit to the log of a file, and keeps the log. */
function openWithLog(path: string): Connection {
  const connection = new Connection(path, { readwrite: true });
  connection.run('UPDATE workspaces SET version = version + 1');
  return connection;
}

/** Creates links to missing files at these paths. Returns their folder. */
function plantLinks(folder: string, paths: readonly string[]): string {
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere);
  for (const [index, path] of paths.entries()) symlinkSync(join(elsewhere, `${index}`), path);
  return elsewhere;
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

/** Changes a name in the table but not in its index, and updates the manifest. */
function ruinWithManifest(backup: string): void {
  const text = readFileSync(backup, 'latin1');
  const place = text.indexOf('Fluffy');
  const ruined = Buffer.from(`${text.slice(0, place)}G${text.slice(place + 1)}`, 'latin1');
  writeFileSync(backup, ruined);
  const sha256 = new Bun.CryptoHasher('sha256').update(ruined).digest('hex');
  const manifest = JSON.parse(readFileSync(`${backup}.json`, 'utf8'));
  writeFileSync(`${backup}.json`, JSON.stringify({ ...manifest, sha256 }));
}

/** Runs the program with an environment that limits its writes. Returns exit code and errors. */
async function runThrough(through: readonly string[], path: string, ...args: string[]) {
  const child = spawnProgram(args, { DATABASE_URL: `sqlite:${path}` }, undefined, through);
  return [await child.exited, await new Response(child.stderr).text()];
}

/** Oldest first. */
async function auditEvents(data: Awaited<ReturnType<typeof prepare>>): Promise<string[]> {
  const entries = JSON.parse((await data.run('audit', '--json')).stdout) as { event: string }[];
  return entries.map(({ event }) => event).toReversed();
}

describe('backup', () => {
  test('contains the first acknowledged animals without a gap, and all from before it began', async () => {
    using data = await prepare(2000);
    const apiKey = 'key-of-the-backup-test';
    await using server = await startServerProcess(`sqlite:${data.path}`, {
      env: { ANIMAL_STORE_API_KEY: apiKey },
    });
    let writing = true;
    let last = 2000;
    const writers = Array.from({ length: 8 }, async () => {
      while (writing) last = Math.max(last, await addedId(server, apiKey));
    });
    for (let round = 0; round < 5; round += 1) {
      const before = last;
      const file = `${data.backup}-${round}`;
      const { exitCode, stderr } = await data.run('backup', file);
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

  test('of a symbolic link includes commits that are only in the log of its target', async () => {
    using data = await prepare();
    await using _server = await startServerProcess(`sqlite:${data.path}`);
    expect(await data.add()).toBe(101n);
    const link = join(data.folder, 'link');
    symlinkSync(data.path, link);
    const { stdout } = await runProgram(['backup', data.backup], {
      DATABASE_URL: `sqlite:${link}`,
    });
    expect(stdout).toStartWith('Backed up 101 animals and 1 key to ');
  });

  test('gets its name only when it is complete, also if it is killed', async () => {
    using data = await prepare(20_000);
    await data.run('backup', data.backup);
    const { size } = statSync(data.backup);
    const partial = `${data.backup}.partial`;
    const manifest = `${data.backup}.json.partial`;
    const written = () => statSync(partial, { throwIfNoEntry: false })?.size ?? -1;
    const moments = [
      ...[0, 0.01, 0.25, 0.5, 0.75, 1].map((share) => () => written() >= share * size),
      () => existsSync(manifest),
    ];
    const kills: boolean[] = [];
    for (const isReached of moments) {
      // What the last kill left would be taken for this moment.
      for (const path of [data.backup, partial, manifest]) rmSync(path, { force: true });
      const child = spawnProgram(['backup', data.backup], {
        DATABASE_URL: `sqlite:${data.path}`,
      });
      while (!isReached() && child.exitCode === null) await new Promise(setImmediate);
      child.kill('SIGKILL');
      await child.exited;
      kills.push(child.signalCode === 'SIGKILL' && existsSync(partial));
      if (!existsSync(data.backup)) continue;
      expect((await data.run('verify', '--database', `sqlite:${data.backup}`)).exitCode).toBe(0);
    }
    // The backup is verified after its copy, so most of these kills come before the end, also on a busy machine.
    expect(kills.filter((wasPartial) => wasPartial).length).toBeGreaterThan(2);
    rmSync(data.backup, { force: true });
    expect((await data.run('backup', data.backup)).exitCode).toBe(0);
    expect(readdirSync(data.folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('ends by the signal if it is interrupted, and leaves no file', async () => {
    using data = await prepare(100_000);
    const child = spawnProgram(['backup', data.backup], { DATABASE_URL: `sqlite:${data.path}` });
    const partial = `${data.backup}.partial`;
    const written = () => statSync(partial, { throwIfNoEntry: false })?.size ?? 0;
    while (written() === 0 && child.exitCode === null) await new Promise(setImmediate);
    child.kill('SIGINT');
    // Under npm, two signals arrive.
    child.kill('SIGINT');
    await child.exited;
    expect(child.signalCode).toBe('SIGINT');
    expect(readdirSync(data.folder).filter((name) => name.startsWith('backup'))).toEqual([]);
  });

  test('replaces the manifest of a killed backup, and no other file of that name', async () => {
    using data = await prepare();
    await data.run('backup', data.backup);
    rmSync(data.backup);
    expect((await data.run('backup', data.backup)).exitCode).toBe(0);
    rmSync(data.backup);
    writeFileSync(`${data.backup}.json`, '{}');
    expect(await data.run('backup', data.backup)).toEqual(
      refusal(`${data.backup}.json already exists; choose another name`),
    );
    expect(readFileSync(`${data.backup}.json`, 'utf8')).toBe('{}');
  });

  test('omits the sessions of the console, and a restore drops those that a backup has', async () => {
    using data = await prepare(5);
    expect((await data.run('console')).exitCode).toBe(0);
    const countTokens = (path: string) => {
      using connection = new Connection(path);
      return connection.query('SELECT count(*) AS count FROM console_tokens').get();
    };
    expect(countTokens(data.path)).toEqual({ count: 1 });
    await data.run('backup', data.backup);
    expect(countTokens(data.backup)).toEqual({ count: 0 });
    expect((await data.run('restore', data.backup)).exitCode).toBe(0);
    expect(countTokens(data.path)).toEqual({ count: 0 });

    const added = `
      INSERT INTO console_tokens (digest, is_link, workspace_id, api_key_digest, created_at, last_active_at, expires_at)
      VALUES ('digest', 1, 1, NULL, 0, 0, 9000000000000000)`;
    {
      using connection = new Connection(data.backup);
      connection.run(added);
    }
    const sha256 = new Bun.CryptoHasher('sha256').update(readFileSync(data.backup)).digest('hex');
    const manifest = JSON.parse(readFileSync(`${data.backup}.json`, 'utf8'));
    const bytes = statSync(data.backup).size;
    writeFileSync(`${data.backup}.json`, JSON.stringify({ ...manifest, bytes, sha256 }));
    expect((await data.run('restore', data.backup)).exitCode).toBe(0);
    expect(countTokens(data.path)).toEqual({ count: 0 });
    expect((await data.run('verify')).exitCode).toBe(0);
  });

  test.skipIf(!hasSmallDisks(tmpdir()))(
    'names the file that it cannot write in a read-only folder',
    async () => {
      using data = await prepare();
      mkdirSync(join(data.folder, 'elsewhere'));
      const backup = join(data.folder, 'elsewhere/backup.db');
      const through = onReadOnlyFolder(join(data.folder, 'elsewhere'));
      expect(await runThrough(through, data.path, 'backup', backup)).toEqual([
        1,
        `animal-store: ${backup} cannot be written: EROFS: read-only file system, open '${backup}.partial'\n`,
      ]);
    },
  );

  test('rejects a file of another program, and leaves nothing', async () => {
    using data = await prepare();
    writeFileSync(join(data.folder, 'letter'), 'Dear aunt, this is a letter.'.repeat(10));
    {
      using connection = new Connection(join(data.folder, 'theirs'), { create: true });
      connection.run('CREATE TABLE theirs (a)');
    }
    for (const [name, line] of [
      ['letter', 'cannot be read: it is not a SQLite database, or its beginning is damaged'],
      ['theirs', 'is a SQLite database of another program'],
    ] as const) {
      const path = join(data.folder, name);
      const env = { DATABASE_URL: `sqlite:${path}` };
      expect(await runProgram(['backup', 'b.db'], env, data.folder)).toEqual(
        refusal(`${path} ${line}`),
      );
    }
    expect(readdirSync(data.folder).filter((name) => name.startsWith('b.db'))).toEqual([]);
  });

  test('is complete although its temporary names are links to missing files', async () => {
    using data = await prepare();
    await using _server = await startServerProcess(`sqlite:${data.path}`);
    expect(await data.add()).toBe(101n);
    const names = ['.partial', '.partial-wal', '.partial-shm', '.partial-journal', '.json.partial'];
    const elsewhere = plantLinks(
      data.folder,
      names.map((name) => data.backup + name),
    );
    expect((await data.run('backup', data.backup)).stdout).toStartWith('Backed up 101 animals ');
    expect(readdirSync(elsewhere)).toEqual([]);
    const made = readdirSync(data.folder).filter((name) => name.startsWith('backup'));
    expect(made.sort()).toEqual(['backup.db', 'backup.db.json']);
    for (const name of made) expect(lstatSync(join(data.folder, name)).isFile()).toBe(true);
  });

  test.each(['', '.json'])('never replaces a link to a missing file at FILE%s', async (suffix) => {
    using data = await prepare();
    const elsewhere = plantLinks(data.folder, [data.backup + suffix]);
    expect(await data.run('backup', data.backup)).toEqual(
      refusal(`${data.backup}${suffix} already exists; choose another name`),
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  });

  test('reports a folder that has its temporary name, and leaves the folder', async () => {
    using data = await prepare();
    mkdirSync(`${data.backup}.partial`);
    const { exitCode, stderr } = await data.run('backup', data.backup);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^animal-store: .*partial'\n$/)]);
    expect(existsSync(`${data.backup}.partial`)).toBe(true);
  });

  test('has nothing that was removed before it', async () => {
    using data = await prepare();
    {
      using connection = new Connection(data.path);
      connection.run(`
        PRAGMA secure_delete = 0;
        CREATE TABLE removed AS SELECT '22 Example Street' AS address;
        DROP TABLE removed`);
      connection.run('PRAGMA journal_mode = DELETE');
    }
    expect(readFileSync(data.path, 'latin1')).toContain('22 Example Street');
    expect((await data.run('backup', data.backup)).exitCode).toBe(0);
    expect(readFileSync(data.backup, 'latin1')).not.toContain('22 Example Street');
  });

  test('omits a commit in the log whose flush has not returned yet', async () => {
    using data = await prepare();
    // The log of the same data after one more commit.
    using server = openWithLog(data.path);
    const later = join(data.folder, 'later.db');
    for (const suffix of ['', '-wal']) copyFileSync(data.path + suffix, later + suffix);
    using _writer = openWithLog(later);
    const log = readFileSync(`${later}-wal`);
    appendFileSync(`${data.path}-wal`, log.subarray(statSync(`${data.path}-wal`).size));
    const { stdout } = await data.run('backup', data.backup);
    expect(stdout).toStartWith('Backed up 100 animals ');
    using copied = new Connection(data.backup, { readonly: true });
    const select = 'SELECT version FROM workspaces';
    expect(copied.query(select).get()).toEqual(server.query(select).get());
  });

  test('creates no folder, because its disk may not be mounted', async () => {
    using data = await prepare();
    const folder = join(data.folder, 'disk');
    expect(await data.run('backup', join(folder, 'b.db'))).toEqual(
      refusal(`The folder ${folder} does not exist: create it, or mount its disk`),
    );
    expect(existsSync(folder)).toBe(false);
  });

  test.each(['restore', 'verify', 'backup', 'backup --folder', 'restore --latest'])(
    '%s of a path that cannot be entered is one line',
    async (command) => {
      using data = await prepare();
      // Root can enter each folder, but no loop of links.
      const loop = join(data.folder, 'loop');
      symlinkSync(loop, loop);
      const { exitCode, stderr } = await data.run(...command.split(' '), join(loop, 'b.db'));
      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^animal-store: .* cannot be read: ELOOP.*\n$/);
    },
  );

  test.each([
    ['restore', '--latest'],
    ['backup', '--folder'],
  ])('%s %s of a file is refused, and says how to name it', async (name, flag) => {
    using data = await prepare();
    expect(await data.run(name, flag, data.path)).toEqual(
      refusal(`${data.path} is not a folder: name the file without ${flag}`),
    );
  });

  test('of PostgreSQL is refused, and pg_dump is named', async () => {
    const { exitCode, stderr } = await runProgram(['backup', 'file'], {
      DATABASE_URL: 'postgres://user@127.0.0.1:1/nothing',
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('Back it up with pg_dump');
  });
});

describe('restore', () => {
  test('restores the data, and assigns no id again', async () => {
    using data = await prepare();
    await data.run('backup', data.backup);
    expect(await data.add()).toBe(101n);
    expect(await data.add()).toBe(102n);
    const { exitCode, stdout } = await data.run('restore', data.backup);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Restored 100 animals and 0 keys of \S+Z, replacing 102 animals\.\n/);
    expect(await data.add()).toBe(103n);
  });

  test('adds feed.reset to the feed, and readers that saw no lost event continue', async () => {
    using data = await prepare();
    await data.add();
    await data.add();
    await data.run('backup', data.backup);
    await data.add();
    expect((await data.run('restore', data.backup)).exitCode).toBe(0);
    await data.add();
    const { path } = data;
    await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
    const read = async (after: number, record?: RecordReference) => {
      const found = await database.readEvents(background, 1n, { after, record, limit: 10 });
      if (found === undefined || 'expired' in found) return 'expired';
      return found.events.map(({ json }) => {
        const { sequence, type, actor } = JSON.parse(json);
        return `${sequence} ${type}${actor === 'system' ? ' by the system' : ''}`;
      });
    };
    const fresh = ['4 feed.reset by the system', '5 pet.created'];
    expect([await read(1), await read(2), await read(3), await read(4)]).toEqual([
      ['2 pet.created', ...fresh],
      fresh,
      'expired',
      fresh.slice(1),
    ]);
    const one = { kind: 'pet', id: 101n } as const;
    expect([await read(1, one), await read(3, one)]).toEqual([fresh.slice(0, 1), 'expired']);
    expect((await data.run('verify')).exitCode).toBe(0);
  });

  test('continues the audit trail of the replaced data, and adds an entry', async () => {
    using data = await prepare();
    await data.run('keys', 'create', '--name', 'Before');
    await data.run('backup', data.backup);
    await data.run('keys', 'create', '--name', 'After');
    await data.run('keys', 'revoke', '1');
    expect((await data.run('restore', data.backup)).stdout).not.toContain('audit trail');
    expect((await data.run('verify')).exitCode).toBe(0);
    const events = await auditEvents(data);
    expect(events).toEqual([
      'api_key_created',
      'api_key_created',
      'api_key_revoked',
      'backup_restored',
    ]);
  });

  test('migrates a backup with an older schema', async () => {
    using data = await prepare(5);
    using newer = makeNewerProgram();
    const run = (...args: string[]) =>
      runProgram(args, { DATABASE_URL: `sqlite:${data.path}` }, undefined, newer.command);
    await data.run('backup', data.backup);
    const manifest = JSON.parse(readFileSync(`${data.backup}.json`, 'utf8'));
    expect(manifest).toMatchObject({ schemaVersion, animals: 5 });
    expect((await run('migrate')).exitCode).toBe(0);
    await run('keys', 'create', '--name', 'Afterwards');
    // The schema version of the replaced data does not matter: its ids and its audit trail continue.
    expect((await run('restore', data.backup)).stdout).toMatch(
      /valid again\.\nNew ids start above all ids of the replaced data\.\nThe replaced file is kept as \S+\n$/,
    );
    expect((await run('workspaces', 'list')).stdout).toMatch(/^default +5 /m);
    const entries = JSON.parse((await run('audit', '--json')).stdout) as { event: string }[];
    expect(entries.map(({ event }) => event)).toEqual([
      'schema_migrated',
      'backup_restored',
      'api_key_created',
      'schema_migrated',
    ]);
    expect((await run('verify')).exitCode).toBe(0);
  });

  test('continues ids and audit trail of replaced data whose animals cannot be read', async () => {
    using data = await prepare(2000);
    await data.run('backup', data.backup);
    expect(await data.add()).toBe(2001n);
    await data.run('keys', 'create', '--name', 'After');
    {
      using connection = new Connection(data.path);
      const roots = connection
        .query<{ rootpage: number }, []>(
          "SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'pets' AND rootpage > 0",
        )
        .all();
      connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
      const file = openSync(data.path, 'r+');
      for (const { rootpage } of roots)
        writeSync(file, new Uint8Array(4096), 0, 4096, (rootpage - 1) * 4096);
      closeSync(file);
    }
    const { exitCode, stdout } = await data.run('restore', data.backup);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('New ids start above all ids of the replaced data.'),
    ]);
    expect(stdout).not.toContain('audit trail');
    expect(await data.add()).toBe(2002n);
    expect(await auditEvents(data)).toEqual(['api_key_created', 'backup_restored']);
  });

  test('reports that the audit trail of the replaced data is lost', async () => {
    using data = await prepare();
    using other = await prepare();
    await data.run('keys', 'create', '--name', 'Here');
    await other.run('keys', 'create', '--name', 'There');
    await other.run('backup', other.backup);
    const { stdout } = await data.run('restore', other.backup);
    expect(stdout).toContain(
      'The audit trail of the replaced data is damaged or from another database',
    );
    expect((await data.run('verify')).exitCode).toBe(0);
    expect(await auditEvents(data)).toEqual(['api_key_created', 'backup_restored']);
  });

  test.each([
    ['gone', (path: string) => rmSync(path)],
    ['damaged', (path: string) => writeFileSync(path, 'x'.repeat(100_000))],
  ])('adds --id-gap to the ids if the replaced data is %s', async (_state, ruin) => {
    using data = await prepare();
    await data.run('backup', data.backup);
    ruin(data.path);
    const { exitCode, stdout } = await data.run('restore', data.backup, '--id-gap', '5000');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('5000 above')]);
    expect(stdout).not.toContain('replacing');
    expect(await data.add()).toBe(5101n);
  });

  test('makes the data readable by its owner alone, also if others can read the backup', async () => {
    using data = await prepare();
    await data.run('backup', data.backup);
    const modes = () =>
      Object.fromEntries(
        readdirSync(data.folder).map((name) => [
          name.replace(/\d{4}-.*Z$/, 'TIME'),
          modeOf(join(data.folder, name)),
        ]),
      );
    for (const path of [data.path, data.backup]) chmodSync(path, 0o644);
    expect((await data.run('restore', data.backup)).exitCode).toBe(0);
    await using _database = await openSqliteDatabase({
      path: data.path,
      asServer: false,
      now: Date.now,
    });
    expect(modes()).toEqual({
      'animals.db': 0o600,
      'animals.db-shm': 0o600,
      'animals.db-wal': 0o600,
      'animals.db.TIME': 0o600,
      'animals.db.life': 0o600,
      'animals.db.lock': 0o600,
      'backup.db': 0o644,
      'backup.db.json': 0o600,
    });
  });

  test('refuses to replace the backup itself or a database of another program', async () => {
    using data = await prepare(3);
    await data.run('backup', data.backup);
    const till = join(data.folder, 'till.db');
    {
      using connection = new Connection(till, { create: true });
      connection.run('CREATE TABLE sales (cents INTEGER)');
    }
    for (const [path, reason] of [
      [till, 'is a SQLite database of another program'],
      [data.backup, 'is the backup itself'],
    ] as const) {
      const before = readFileSync(path);
      const env = { DATABASE_URL: `sqlite:${path}` };
      const { exitCode, stderr } = await runProgram(['restore', data.backup], env);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${path} ${reason}`)]);
      expect(readFileSync(path)).toEqual(before);
    }
  });

  test('keeps an unreadable file that it replaces under another name', async () => {
    using data = await prepare(3);
    await data.run('backup', data.backup);
    writeFileSync(data.path, 'what a broken disk has left');
    const { exitCode, stdout } = await data.run('restore', data.backup);
    const [, kept = ''] = /is kept as (\S+)\.$/m.exec(stdout) ?? [];
    expect([exitCode, readFileSync(kept, 'utf8')]).toEqual([0, 'what a broken disk has left']);
  });

  test('adds --id-gap to the ids if the replaced data was created after the original was removed', async () => {
    using data = await prepare();
    {
      using connection = new Connection(data.path);
      connection.run('UPDATE workspaces SET created_at = created_at - 1000');
    }
    await data.run('backup', data.backup);
    expect(await data.add()).toBe(101n);
    rmSync(data.path);
    expect(await data.add()).toBe(1n);
    const { stdout } = await data.run('restore', data.backup, '--id-gap', '5000');
    expect(stdout).toContain(
      '\nThe replaced data is from another database, so new ids start 5000 above those of the backup.\n',
    );
    expect(await data.add()).toBe(5101n);
  });

  test.each([
    ['adds', true, ['feed.reset']],
    ['does not add', false, []],
  ])(
    'with --id-gap 0, %s feed.reset to the feeds if other data is replaced: %p',
    async (_does, isReplaced, types) => {
      using data = await prepare();
      await data.add();
      {
        using connection = new Connection(data.path);
        connection.run('UPDATE workspaces SET created_at = created_at - 1000');
      }
      await data.run('backup', data.backup);
      rmSync(data.path);
      if (isReplaced) await data.add();
      await data.run('restore', data.backup, '--id-gap', '0');
      using connection = new Connection(data.path);
      const found = connection.query('SELECT type FROM events WHERE sequence > 1').all();
      expect(found.map((row) => (row as { type: string }).type)).toEqual(types);
    },
  );

  test('writes to no other file, although its temporary names are links to missing files', async () => {
    using data = await prepare();
    await data.run('backup', data.backup);
    const names = ['', '-wal', '-shm', '-journal'];
    const elsewhere = plantLinks(
      data.folder,
      names.map((name) => `${data.path}.restoring${name}`),
    );
    expect((await data.run('restore', data.backup)).exitCode).toBe(0);
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(lstatSync(data.path).isFile()).toBe(true);
    expect((await data.run('verify')).exitCode).toBe(0);
  });

  test('refuses a backup with one flipped bit', async () => {
    using data = await prepare();
    await data.run('backup', data.backup);
    const bytes = readFileSync(data.backup);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(data.backup, bytes);
    const before = readFileSync(data.path);
    const { exitCode, stderr } = await data.run('restore', data.backup);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `animal-store: ${data.backup} is damaged: its contents do not match its manifest\n`,
    );
    expect(readFileSync(data.path)).toEqual(before);
  });

  test('leaves no file at a free path if it fails', async () => {
    using data = await prepare();
    await data.run('backup', data.backup);
    rmSync(data.path);
    ruinWithManifest(data.backup);
    const { exitCode, stderr } = await data.run('restore', data.backup);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('The data is damaged')]);
    expect(existsSync(data.path)).toBe(false);
    expect(readdirSync(data.folder).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  test('refuses while a command has the data open, and leaves the data', async () => {
    using data = await prepare();
    await data.run('backup', data.backup);
    await data.add();
    {
      using reader = new Connection(data.path, { readwrite: true });
      reader.run('PRAGMA journal_mode = WAL');
      reader.run('BEGIN');
      reader.query('SELECT count(*) FROM pets').get();
      const { exitCode, stderr } = await data.run('restore', data.backup);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('cannot be restored')]);
      reader.run('COMMIT');
    }
    expect(await data.add()).toBe(102n);
  });

  test('refuses while a command runs that may write, and leaves the data', async () => {
    using data = await prepare();
    await data.run('backup', data.backup);
    await using database = await openSqliteDatabase({
      path: data.path,
      asServer: false,
      now: Date.now,
    });
    expect(await data.run('restore', data.backup)).toEqual(
      refusal(`${data.path} is in use by an animal-store command: try again later`),
    );
    const pet = { name: 'Rex', categoryId: 1n };
    expect(okOf(await database.write(background, 'createPet', { workspaceId: 1n, pet })).id).toBe(
      101n,
    );
  });

  test('refuses while a server runs', async () => {
    using data = await prepare();
    await data.run('backup', data.backup);
    await using _server = await startServerProcess(`sqlite:${data.path}`);
    const { exitCode, stderr } = await data.run('restore', data.backup);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('is in use by a server');
  });
});

describe('verify', () => {
  test('finds no damage in sound data, also while a server runs', async () => {
    using data = await prepare();
    await using _server = await startServerProcess(`sqlite:${data.path}`);
    const { exitCode, stdout } = await data.run('verify');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /default +100 +101\nAudit trail: 1 entry, the last [0-9a-f]{64}\nNo damage was found\.\nNot checked: answers stored under .*\.\n$/,
    );
  });

  test.each([
    ['UPDATE workspaces SET next_pet_id = 100', 'Workspace default would use an id of pets again'],
    ['UPDATE workspaces SET sold_count = 0', 'Workspace default counts other animals than it has'],
    [
      "UPDATE pets SET status = 'sold' WHERE id = (SELECT pet_id FROM orders WHERE status = 'pending'); UPDATE workspaces SET pending_count = pending_count - 1, sold_count = sold_count + 1",
      'Order 1 of workspace default is open, and its animal is not pending',
    ],
    [
      "UPDATE events SET json = replace(json, 'Rex', 'Tex') WHERE sequence = 2",
      'The feed of workspace default has a changed event 2',
    ],
    [
      'UPDATE events SET record_id = 7 WHERE sequence = 2',
      'The feed of workspace default has a changed event 2',
    ],
    [
      'DELETE FROM events WHERE sequence = 2',
      'The feed of workspace default lacks events before 3',
    ],
    [
      "UPDATE categories SET name = 'Wolves' WHERE name = 'Dogs'",
      'Category 1 of workspace default was changed',
    ],
    ["UPDATE orders SET note = 'For Bo'", 'The note of order 1 of workspace default was changed'],
  ])('finds %s', async (sql, line) => {
    using data = await prepare();
    for (let count = 0; count < 3; count += 1) await data.add();
    {
      using connection = new Connection(data.path);
      connection.run(`
        INSERT INTO orders SELECT 1, 1, min(id), 'pending', NULL, NULL, NULL FROM pets WHERE status = 'pending';
        UPDATE workspaces SET next_order_id = 2`);
      connection.run(sql);
    }
    const { exitCode, stderr } = await data.run('verify');
    expect(exitCode).toBe(1);
    expect(stderr).toBe(`animal-store: ${line}\n${damageAdvice}`);
  });

  test('finds an index that differs from its table', async () => {
    using data = await prepare();
    {
      using connection = new Connection(data.path);
      connection.run('PRAGMA journal_mode = DELETE');
    }
    const text = readFileSync(data.path, 'latin1');
    // The table and the index by status contain the name. One of them is changed.
    const place = text.indexOf('Fluffy');
    writeFileSync(data.path, `${text.slice(0, place)}G${text.slice(place + 1)}`, 'latin1');
    const { exitCode, stderr } = await data.run('verify');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('pets_by_status');
  });
});

describe('a file that was closed cleanly, in a place without write access', () => {
  /** Closes the file as the last writer does, so that no other file is left. */
  async function prepareClosed() {
    const data = await prepare();
    await data.run('keys', 'create', '--name', 'a');
    const target = join(data.folder, 'elsewhere');
    mkdirSync(target);
    for (const suffix of ['.lock', '.life']) rmSync(data.path + suffix);
    expect(readdirSync(data.folder).sort()).toEqual(['animals.db', 'elsewhere']);
    return { ...data, target };
  }

  async function expectReadable(
    data: Awaited<ReturnType<typeof prepareClosed>>,
    through: readonly string[],
  ) {
    const backup = join(data.target, 'backup.db');
    expect(await runThrough(through, data.path, 'verify')).toEqual([0, '']);
    expect(await runThrough(through, data.path, 'backup', backup)).toEqual([0, '']);
    expect(await runThrough(through, data.path, 'audit')).toEqual([0, '']);
    expect(await runThrough(through, data.path, 'keys', 'list')).toEqual([0, '']);
    expect(readdirSync(data.folder).sort()).toEqual(['animals.db', 'elsewhere']);
    const restored = { DATABASE_URL: `sqlite:${data.target}/restored.db` };
    const { stdout } = await runProgram(['restore', backup], restored);
    expect(stdout).toStartWith('Restored 100 animals and 1 key of ');
  }

  test.skipIf(!hasSmallDisks(tmpdir()))(
    'is verified, backed up and read on a read-only disk',
    async () => {
      using data = await prepareClosed();
      const { folder, target } = data;
      // The disk is read-only, except for the target.
      await expectReadable(data, [
        ...['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c'],
        'mount --bind "$0" "$0" && mount --bind "$1" "$1" && mount -o remount,bind,ro "$0" && shift && exec "$@"',
        ...[folder, target],
      ]);
    },
  );

  test.skipIf(process.getuid?.() === 0 && Bun.which('setpriv') === null)(
    'is verified, backed up and read in a folder in which its reader cannot write',
    async () => {
      using data = await prepareClosed();
      chmodSync(data.path, 0o444);
      chmodSync(data.target, 0o777);
      chmodSync(data.folder, 0o555);
      // Root ignores permissions.
      const asOther = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
      try {
        await expectReadable(data, process.getuid?.() === 0 ? asOther : []);
      } finally {
        chmodSync(data.folder, 0o755);
      }
    },
  );

  test('is refused if it changes during the read or has a journal, and is read while its log is empty', async () => {
    using data = await prepareClosed();
    // SQLite cannot create the index of the log here, even as root.
    symlinkSync(join(data.folder, 'nowhere/index'), `${data.path}-shm`);
    writeFileSync(`${data.path}-journal`, 'a transaction that was not committed');
    expect(() => openFileReader(data.path)).toThrow('attempt to write a readonly database');
    rmSync(`${data.path}-journal`);
    {
      using reader = openFileReader(data.path);
      reader.checkUnchanged();
      const later = new Date(Date.now() + 1000);
      utimesSync(data.path, later, later);
      expect(() => reader.checkUnchanged()).toThrow(`${data.path} changed while it was read`);
    }
    writeFileSync(`${data.path}-wal`, 'a log');
    expect(() => openFileReader(data.path)).toThrow('unable to open database file');
  });
});

describe('verify of a backup', () => {
  const backupAdvice =
    'animal-store: Do not restore this backup: use another copy of it, or an earlier backup\n';

  async function prepareBackup() {
    const data = await prepare();
    await data.add();
    await data.run('keys', 'create', '--name', 'a');
    const folder = join(data.folder, 'backups');
    mkdirSync(folder);
    const backup = join(folder, 'one.db');
    await data.run('backup', backup);
    return {
      ...data,
      backup,
      manifest: `${backup}.json`,
      backups: folder,
      verify: (...args: string[]) => runProgram(['verify', backup, ...args], {}, data.folder),
    };
  }

  test('compares the backup with its manifest, and leaves no other file', async () => {
    using data = await prepareBackup();
    const { exitCode, stdout, stderr } = await data.verify();
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^default +101 +102$/m);
    expect(stdout).toContain(`\n${data.backup} matches its manifest.\nNo damage was found.\n`);
    expect(readdirSync(data.backups).sort()).toEqual(['one.db', 'one.db.json']);
  });

  test.each([
    [
      'with another file in place of its manifest',
      (data: { manifest: string }) => writeFileSync(data.manifest, '{}'),
      'FILE.json is not a backup manifest\n',
    ],
    [
      'with other bytes',
      ({ backup }: { backup: string }) =>
        writeFileSync(backup, `${readFileSync(backup, 'latin1')}x`),
      'FILE is damaged: its contents do not match its manifest\n',
    ],
    [
      'with other counts',
      ({ manifest }: { manifest: string }) => {
        const described = JSON.parse(readFileSync(manifest, 'utf8'));
        writeFileSync(manifest, JSON.stringify({ ...described, animals: 100, apiKeys: 2 }));
      },
      `The manifest says animals 100, and the backup has 101\nanimal-store: The manifest says apiKeys 2, and the backup has 1\n${backupAdvice}`,
    ],
    [
      'with damage that is as old as its manifest',
      ({ backup }: { backup: string }) => ruinWithManifest(backup),
      'missing from index pets_by_status\nanimal-store: Do not restore this backup',
    ],
  ])('reports a backup %s', async (_, change, lines) => {
    using data = await prepareBackup();
    change(data);
    const { exitCode, stderr } = await data.verify();
    expect(exitCode).toBe(1);
    expect(stderr.replaceAll(data.backup, 'FILE')).toContain(lines);
    if (lines.endsWith('\n')) expect(stderr).toStartWith('animal-store: ');
  });

  test('rejects a folder', async () => {
    using data = await prepareBackup();
    const folder = join(data.backup, '..');
    expect((await data.run('verify', folder)).stderr).toBe(
      `animal-store: ${folder} is not a file: name a file with a backup\n`,
    );
  });

  test('is refused with --database, and works with DATABASE_URL', async () => {
    using data = await prepareBackup();
    expect(await data.verify('--database', 'sqlite:animals.db')).toEqual(
      refusal('FILE and --database exclude each other', 2),
    );
    expect((await data.run('verify', data.backup)).exitCode).toBe(0);
  });
});
