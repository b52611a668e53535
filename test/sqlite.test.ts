import { Database as Connection } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openReaderConnection, openWriterConnection } from '../src/sqlite/connection.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { schemaVersion } from '../src/sqlite/migrate.ts';
import { describeDatabase } from './database-suite.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

function open(path: string, asServer = false) {
  return openSqliteDatabase({ path, asServer, now: Date.now });
}

describeDatabase({
  name: 'SQLite',
  async prepare() {
    const folder = makeTemporaryFolder();
    return {
      open: () => open(join(folder.path, 'suite.db')),
      async [Symbol.asyncDispose]() {
        folder[Symbol.dispose]();
      },
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

  test('is made with its folder, readable by its owner alone, and left without a log', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'a/b/test.db');
    await (await open(path))[Symbol.asyncDispose]();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder.path, 'a/b'))).toEqual(['test.db']);
  });

  test('is refused when a newer program wrote it, and left as it was', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    await (await open(path))[Symbol.asyncDispose]();
    {
      using connection = new Connection(path);
      connection.run(`PRAGMA user_version = ${schemaVersion + 1}`);
    }
    await expect(open(path)).rejects.toThrow(
      `${path} has schema version ${schemaVersion + 1}, and this program knows versions up to ${schemaVersion}`,
    );
    using connection = new Connection(path);
    expect(connection.query('PRAGMA user_version').get()).toEqual({
      user_version: schemaVersion + 1,
    });
  });

  test('is refused when it is the database of another program, and left as it was', async () => {
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

  test('is refused when it is no database at all', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    writeFileSync(path, 'This is a letter to my aunt, and not a database.'.repeat(10));
    await expect(open(path)).rejects.toThrow(`${path} is not a SQLite database`);
  });

  test('serves one server at a time, and commands beside it', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    {
      await using _server = await open(path, true);
      await expect(open(path, true)).rejects.toThrow(
        `${path} is in use by another animal-store server`,
      );
      await using _command = await open(path);
    }
    await using _next = await open(path, true);
  });

  test('is migrated once when many open it at the same moment', async () => {
    using folder = makeTemporaryFolder();
    const path = join(folder.path, 'test.db');
    const script = `
      const { openSqliteDatabase } = await import('${join(import.meta.dir, '../src/sqlite/database.ts')}');
      await using database = await openSqliteDatabase({ path: process.argv[1], asServer: false, now: Date.now });
      console.log((await database.listWorkspaces()).length);
    `;
    const outputs = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = Bun.spawn([process.execPath, '-e', script, path], { stderr: 'pipe' });
        await child.exited;
        return [await new Response(child.stdout).text(), await new Response(child.stderr).text()];
      }),
    );
    expect(outputs).toEqual(Array(4).fill(['1\n', '']));
  });
});
