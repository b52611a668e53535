import { Database as Connection } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { addAnimal } from './support/call-server.ts';
import { makeDataFile } from './support/data-files.ts';
import { loadGoldenData } from './support/golden-data.ts';
import { createKey } from './support/new-key.ts';
import { makeNewerProgram } from './support/newer-program.ts';
import { refusal, runProgram, spawnProgram, startServerProcess } from './support/server-process.ts';
import { hasSmallDisks, onReadOnlyFolder } from './support/small-disk.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** A data file with a key and 5 animals, and a folder for copies without a manifest. */
async function prepare() {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'animals.db');
  const copies = join(folder.path, 'copies');
  mkdirSync(copies);
  const run = (...args: string[]) => runProgram(args, { DATABASE_URL: `sqlite:${path}` });
  await makeDataFile(path, 5);
  {
    await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
    await createKey(database);
  }
  return {
    path,
    run,
    folder: folder.path,
    copies,
    copy: join(copies, 'copy.db'),
    restored: { DATABASE_URL: `sqlite:${join(folder.path, 'restored.db')}` },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

type Data = Awaited<ReturnType<typeof prepare>>;

function change(path: string, sql: string): void {
  using connection = new Connection(path, { create: true });
  connection.run(sql);
}

/** Copies a file with a log that has a commit which the file lacks. */
function copyWithLog({ path, copy }: Data): void {
  using connection = new Connection(path, { readwrite: true });
  connection.run('PRAGMA wal_autocheckpoint = 0');
  connection.run('UPDATE workspaces SET next_pet_id = 77');
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);
}

const plain = (copy: string) =>
  `${copy} has no manifest ${copy}.json: only its contents were checked.\n`;

describe('a file without a manifest', () => {
  test('is verified and restored, and is left as it was', async () => {
    using data = await prepare();
    const { copy } = data;
    copyFileSync(data.path, copy);
    utimesSync(copy, new Date(0), new Date('2026-11-23T04:05:06.000Z'));
    const before = readFileSync(copy);
    const verified = await runProgram(['verify', copy], {});
    expect([verified.exitCode, verified.stderr]).toEqual([0, '']);
    expect(verified.stdout).toMatch(/^default +5 +6$/m);
    expect(verified.stdout).toContain(`\n${plain(copy)}No damage was found.\n`);
    const { exitCode, stdout, stderr } = await runProgram(['restore', copy], data.restored);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toStartWith(
      `Restored 5 animals and 1 key of ${copy}.\nKeys are those of the backup: keys revoked after it are valid again.\n`,
    );
    expect(readFileSync(copy)).toEqual(before);
    expect(readdirSync(data.copies)).toEqual(['copy.db']);
    const [entry] = JSON.parse((await runProgram(['audit', '--json'], data.restored)).stdout);
    expect(entry).toMatchObject({
      event: 'backup_restored',
      details: {
        madeAt: '2026-11-23T04:05:06.000Z',
        sha256: new Bun.CryptoHasher('sha256').update(before).digest('hex'),
        entryCount: 1,
      },
    });
    expect((await runProgram(['verify'], data.restored)).exitCode).toBe(0);
  });

  test('is read with the log beside it', async () => {
    using data = await prepare();
    copyWithLog(data);
    const { exitCode, stdout } = await runProgram(['verify', data.copy], {});
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^default +5 +77$/m)]);
    const log = readFileSync(`${data.copy}-wal`);
    const restored = await runProgram(['restore', data.copy, '--id-gap', '0'], data.restored);
    expect([restored.exitCode, restored.stderr]).toEqual([0, '']);
    expect(readFileSync(`${data.copy}-wal`)).toEqual(log);
    expect((await runProgram(['verify'], data.restored)).stdout).toMatch(/^default +5 +77$/m);
  });

  test('that a server uses is verified and restored as it was at one moment', async () => {
    using data = await prepare();
    const apiKey = 'key-of-the-test-of-plain-files';
    await using server = await startServerProcess(`sqlite:${data.path}`, {
      env: { ANIMAL_STORE_API_KEY: apiKey },
    });
    let isWriting = true;
    const write = async () => {
      while (isWriting) await addAnimal(server, apiKey);
    };
    const writers = [write(), write()];
    for (let round = 0; round < 3; round += 1) {
      const verified = await runProgram(['verify', data.path], {});
      expect([verified.exitCode, verified.stderr]).toEqual([0, '']);
      const target = { DATABASE_URL: `sqlite:${join(data.folder, `restored-${round}.db`)}` };
      const restored = await runProgram(['restore', data.path], target);
      expect([restored.exitCode, restored.stderr]).toEqual([0, '']);
      expect((await runProgram(['verify'], target)).exitCode).toBe(0);
    }
    isWriting = false;
    await Promise.all(writers);
  });

  test('of version 1.0.0 is verified and restored', async () => {
    using data = await prepare();
    await loadGoldenData('1.0.0', 'sqlite', `sqlite:${data.copy}`);
    change(data.copy, 'PRAGMA journal_mode = WAL');
    const { exitCode, stdout } = await runProgram(['verify', data.copy], {});
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(plain(data.copy))]);
    expect(readdirSync(data.copies)).toEqual(['copy.db']);
    expect((await runProgram(['restore', data.copy], data.restored)).exitCode).toBe(0);
    expect((await runProgram(['verify'], data.restored)).exitCode).toBe(0);
  });

  test('restored in place of later data of the same database assigns no id again', async () => {
    using data = await prepare();
    copyFileSync(data.path, data.copy);
    await data.run('demo', '--animals', '3');
    expect((await data.run('restore', data.copy)).stdout).toStartWith(
      `Restored 5 animals and 1 key of ${data.copy}, replacing 8 animals.\nKeys are those of the backup: keys revoked after it are valid again.\nNew ids start above all ids of the replaced data.\n`,
    );
    await data.run('demo', '--animals', '1');
    expect((await data.run('verify')).stdout).toMatch(/^default +6 +10$/m);
  });

  test.skipIf(!hasSmallDisks(tmpdir()))(
    'is verified and restored from a read-only folder',
    async () => {
      using data = await prepare();
      copyFileSync(data.path, data.copy);
      change(data.copy, 'PRAGMA journal_mode = WAL');
      for (const args of [
        ['verify', data.copy],
        ['restore', data.copy],
      ]) {
        const child = spawnProgram(args, data.restored, undefined, onReadOnlyFolder(data.copies));
        expect(await new Response(child.stderr).text()).toBe('');
        expect(await child.exited).toBe(0);
      }
    },
  );

  test.skipIf(process.getuid?.() !== 0)(
    'that root restores belongs to the owner of the folder',
    async () => {
      using data = await prepare();
      copyWithLog(data);
      const folder = join(data.folder, 'of another user');
      mkdirSync(folder);
      chownSync(folder, 65534, 65533);
      const env = { DATABASE_URL: `sqlite:${folder}/a.db` };
      expect((await runProgram(['restore', data.copy], env)).exitCode).toBe(0);
      expect((await data.run('backup', join(folder, 'b.db'))).exitCode).toBe(0);
      for (const name of ['a.db', 'b.db', 'b.db.json']) {
        const { uid, gid, mode } = statSync(join(folder, name));
        expect([name, uid, gid, mode & 0o777]).toEqual([name, 65534, 65533, 0o600]);
      }
    },
  );

  test.each<[string, (data: Data) => unknown, string, string?]>([
    [
      'a text',
      ({ copy }) => writeFileSync(copy, 'Dear aunt, this is a letter.'.repeat(10)),
      'it is not a SQLite database, or its beginning is damaged',
    ],
    ['an empty file', ({ copy }) => writeFileSync(copy, ''), 'There is no data in FILE'],
    [
      'an empty database',
      ({ copy }) => change(copy, 'PRAGMA journal_mode = WAL'),
      'There is no data in FILE',
    ],
    [
      'the database of another program',
      ({ copy }) => change(copy, 'CREATE TABLE theirs (a)'),
      'FILE is a SQLite database of another program',
    ],
    [
      'a file with an added trigger',
      ({ copy, path }) => {
        copyFileSync(path, copy);
        change(copy, 'CREATE TRIGGER added AFTER INSERT ON pets BEGIN SELECT 1; END');
      },
      'Trigger added on pets was added',
    ],
    [
      'a file with an added trigger in its log',
      (data) => {
        using connection = new Connection(data.path, { readwrite: true });
        connection.run('PRAGMA wal_autocheckpoint = 0');
        connection.run('CREATE TRIGGER added AFTER INSERT ON pets BEGIN SELECT 1; END');
        for (const suffix of ['', '-wal']) copyFileSync(data.path + suffix, data.copy + suffix);
      },
      'Trigger added on pets was added',
    ],
    [
      'a file with a changed key',
      ({ copy, path }) => {
        copyFileSync(path, copy);
        change(copy, "UPDATE api_keys SET scopes = 'pets:read pets:write'");
      },
      'Key 1 differs from the audit trail: scopes',
    ],
    [
      'a file that was cut',
      ({ copy, path }) => writeFileSync(copy, readFileSync(path).subarray(0, 60_000)),
      'SQLITE_CORRUPT',
    ],
    [
      'a file with a journal of a transaction that did not end',
      ({ copy, path }) => {
        copyFileSync(path, copy);
        change(copy, 'PRAGMA journal_mode = DELETE');
        using connection = new Connection(copy, { readwrite: true });
        connection.run('PRAGMA cache_size = 1; BEGIN; UPDATE pets SET name = name || id');
        connection.run('PRAGMA cache_spill = 1; UPDATE workspaces SET version = version + 1');
        const journal = readFileSync(`${copy}-journal`);
        const main = readFileSync(copy);
        connection.run('ROLLBACK');
        writeFileSync(copy, main);
        writeFileSync(`${copy}-journal`, journal);
      },
      'FILE cannot be ',
    ],
    [
      'a file with something else in FILE.json',
      ({ copy, path }) => {
        copyFileSync(path, copy);
        writeFileSync(`${copy}.json`, '{"animals":5}');
      },
      'FILE.json is not a backup manifest',
    ],
    [
      'a file with a link to a missing FILE.json',
      ({ copy, path }) => {
        copyFileSync(path, copy);
        symlinkSync(`${copy}.gone`, `${copy}.json`);
      },
      'FILE',
    ],
    ['a folder', ({ copy }) => mkdirSync(copy), 'FILE is not a file: name a file with a backup'],
    ['nothing', () => {}, 'FILE does not exist'],
  ])('is refused by verify and restore if it is %s', async (_what, make, line) => {
    using data = await prepare();
    await make(data);
    const before = readFileSync(data.path);
    for (const args of [
      ['verify', data.copy],
      ['restore', data.copy],
    ]) {
      const { exitCode, stdout, stderr } = await data.run(...args);
      expect([args[0], exitCode, stdout]).toEqual([args[0] ?? '', 1, '']);
      expect(stderr.replaceAll(data.copy, 'FILE')).toContain(line);
      expect(stderr).toStartWith('animal-store: ');
      expect(stderr).not.toContain('attempt to write');
    }
    expect(readFileSync(data.path)).toEqual(before);
    expect(existsSync(`${data.path}.restoring`)).toBe(false);
  });

  test('of a newer version is refused in one line', async () => {
    using data = await prepare();
    using newer = makeNewerProgram();
    copyFileSync(data.path, data.copy);
    const env = { DATABASE_URL: `sqlite:${data.copy}` };
    await runProgram(['migrate'], env, undefined, newer.command);
    const line = `animal-store: ${data.copy} has schema version ${newer.schemaVersion}, and this version of animal-store knows versions up to ${newer.schemaVersion - 1}: use a newer version\n`;
    for (const args of [
      ['verify', data.copy],
      ['restore', data.copy],
    ]) {
      expect(await data.run(...args)).toEqual({ exitCode: 1, stdout: '', stderr: line });
    }
  });

  test('with an unfinished copy does not replace data, and neither does its backup', async () => {
    using data = await prepare();
    copyFileSync(data.path, data.copy);
    change(data.copy, "UPDATE meta SET unfinished_copy_of = 'other data'");
    const backup = join(data.copies, 'backup.db');
    await runProgram(['backup', backup], { DATABASE_URL: `sqlite:${data.copy}` });
    const before = readFileSync(data.path);
    for (const file of [data.copy, backup]) {
      expect(await data.run('restore', file)).toEqual(
        refusal(`${file} holds an unfinished copy and is not restored`),
      );
      expect(readFileSync(data.path)).toEqual(before);
    }
  });

  test('is not chosen by restore --latest', async () => {
    using data = await prepare();
    copyFileSync(data.path, data.copy);
    expect(await data.run('restore', '--latest', data.copies)).toEqual(
      refusal(
        `${data.copies} has no complete backup: a backup is a file with its manifest FILE.json`,
      ),
    );
  });
});
