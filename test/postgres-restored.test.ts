import { describe, expect, test } from 'bun:test';
import { cpSync } from 'node:fs';
import { background } from '../src/context/context.ts';
import { restoredLine } from '../src/postgres/check-server.ts';
import { openPostgresDatabase } from '../src/postgres/open-postgres.ts';
import { DatabaseUnavailable } from '../src/storage/contract/database-error.ts';
import { equalPets } from './support/catalogue.ts';
import { createKey } from './support/new-key.ts';
import { okOf } from './support/outcome.ts';
import { administer, createTestDatabase, runSql } from './support/postgres.ts';
import { owner, startPostgresServer } from './support/postgres-server.ts';
import { refusal, runProgram } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const open = (url: string) => openPostgresDatabase({ url, asServer: true, now: Date.now });

const add = (database: Awaited<ReturnType<typeof open>>) =>
  database.write(background, 'createPet', {
    workspaceId: 1n,
    pet: { name: 'Rex', categoryId: 1n },
  });

/** Adds an animal and a key to data that no server has open. Returns the id of the animal. */
async function addOnce(url: string): Promise<bigint> {
  await using database = await open(url);
  return okOf(await add(database)).id;
}

/** Animals and a key, in a database with new tables. */
async function prepareFilled() {
  const database = await createTestDatabase('empty');
  const run = (...args: string[]) => runProgram(args, { DATABASE_URL: database.url });
  {
    await using filled = await open(database.url);
    await filled.write(background, 'createPets', { workspaceId: 1n, pets: equalPets(10) });
    await createKey(filled);
  }
  const server = database.url.slice(0, database.url.lastIndexOf('/'));
  return { ...database, server, run };
}

/** Saves the data as `pg_dump` does. The PostgreSQL package from npm contains only the server. */
async function dump(url: string): Promise<void> {
  await runSql(
    url,
    `CREATE SCHEMA dump;
     DO $$ DECLARE name text; BEGIN
       FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'animal_store' LOOP
         EXECUTE format('CREATE TABLE dump.%1$I (LIKE animal_store.%1$I INCLUDING ALL)', name);
         EXECUTE format('INSERT INTO dump.%1$I SELECT * FROM animal_store.%1$I', name);
       END LOOP;
     END $$`,
  );
}

/** Replaces the data with the saved one, as `pg_restore --clean` does. */
async function restoreDump(url: string): Promise<void> {
  await runSql(
    url,
    'BEGIN; DROP SCHEMA animal_store CASCADE; ALTER SCHEMA dump RENAME TO animal_store; COMMIT',
  );
}

const refused = refusal(restoredLine);

describe('PostgreSQL restored from a dump', () => {
  const commands = [
    ['serve', '--port', '0'],
    ['keys', 'create', '--name', 'a'],
    ['keys', 'list'],
    ['keys', 'rotate', '1'],
    ['keys', 'revoke', '1'],
    ['workspaces', 'create', 'shop'],
    ['workspaces', 'list'],
    ['workspaces', 'delete', 'shop', '--yes'],
    ['deprecated-calls'],
    ['audit'],
    ['verify'],
    ['demo'],
  ];

  test('is refused in one line by every command until accept-restored ran', async () => {
    await using data = await prepareFilled();
    await dump(data.url);
    await restoreDump(data.url);
    for (const command of commands) {
      expect([command, await data.run(...command)]).toEqual([command, refused]);
    }
    using folder = makeTemporaryFolder();
    const [source, target] = [`sqlite:${folder.path}/source.db`, `sqlite:${folder.path}/target.db`];
    await runProgram(['demo'], { DATABASE_URL: source });
    expect(await data.run('copy', '--from', data.url, '--to', target)).toEqual(refused);
    expect(await data.run('copy', '--from', source, '--to', data.url)).toEqual(refused);
    expect((await data.run('accept-restored')).exitCode).toBe(0);
    expect((await data.run('keys', 'list')).exitCode).toBe(0);
  });

  test('assigns no id again after accept-restored, which adds an entry to the audit trail', async () => {
    await using data = await prepareFilled();
    await dump(data.url);
    await addOnce(data.url);
    await data.run('keys', 'create', '--name', 'lost');
    await data.run('workspaces', 'create', 'lost');
    await restoreDump(data.url);
    expect(await data.run('accept-restored', '--id-gap', '500')).toEqual({
      exitCode: 0,
      stdout:
        'New ids start 500 above those of the restored data.\n' +
        'Keys are those of the restored data: keys revoked since then are valid again.\n',
      stderr: '',
    });
    expect(await addOnce(data.url)).toBe(511n);
    // A position after the time of the dump.
    await using database = await open(data.url);
    expect(await database.readEvents(background, 1n, { after: 1, limit: 10 })).toEqual({
      expired: { first: 501, head: 501 },
    });
    const created = await data.run('keys', 'create', '--name', 'new', '--json');
    expect(JSON.parse(created.stdout).id).toBe(502);
    await data.run('workspaces', 'create', 'shop');
    expect(await runSql(data.url, `SELECT id::int FROM workspaces WHERE name = 'shop'`)).toEqual([
      { id: 502 },
    ]);
    expect((await data.run('verify')).stdout).toContain('\nNo damage was found.\n');
    const entries = JSON.parse((await data.run('audit', '--json')).stdout) as object[];
    expect(entries).toMatchObject([
      { event: 'workspace_created' },
      { event: 'api_key_created' },
      { event: 'tables_restored', details: { idGap: 500 } },
      { event: 'api_key_created' },
    ]);
  });

  test('signs out all users of the console', async () => {
    await using data = await prepareFilled();
    expect((await data.run('console')).exitCode).toBe(0);
    await dump(data.url);
    await restoreDump(data.url);
    expect(await runSql(data.url, 'SELECT count(*)::int FROM console_tokens')).toEqual([
      { count: 1 },
    ]);
    await data.run('accept-restored');
    expect(await runSql(data.url, 'SELECT count(*)::int FROM console_tokens')).toEqual([
      { count: 0 },
    ]);
  });

  test('in a cluster with another identifier, as after pg_upgrade, continues its ids with a gap of 0', async () => {
    await using data = await prepareFilled();
    await runSql(data.url, `UPDATE meta SET system_identifier = 'of the one before'`);
    expect(await data.run('keys', 'list')).toEqual(refused);
    expect(await data.run('accept-restored', '--id-gap', '0')).toEqual({
      exitCode: 0,
      stdout: 'New ids continue unchanged.\n',
      stderr: '',
    });
    expect(await addOnce(data.url)).toBe(11n);
  });

  test('under a running server is refused within a second, and served after accept-restored', async () => {
    await using data = await prepareFilled();
    await using server = await open(data.url);
    expect(await add(server)).toMatchObject({ ok: { id: 11n } });
    await dump(data.url);
    await restoreDump(data.url);
    const read = async () => {
      try {
        return await server.readPet(background, 1n, 1n);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) return error.message;
        throw error;
      }
    };
    while ((await read()) !== restoredLine) await new Promise(setImmediate);
    await data.run('accept-restored');
    while ((await read()) === restoredLine) await new Promise(setImmediate);
    expect(await add(server)).toMatchObject({ ok: { id: 1_000_012n } });
  });

  test('is refused while its rows are still being restored', async () => {
    await using data = await prepareFilled();
    await dump(data.url);
    await runSql(data.url, 'DELETE FROM dump.meta');
    await restoreDump(data.url);
    expect(await data.run('keys', 'list')).toEqual(refused);
  });

  test('is refused in a database that was created from another as its template', async () => {
    await using data = await prepareFilled();
    const other = `${data.name}_copy`;
    const { server } = data;
    await administer(server, `CREATE DATABASE ${other} TEMPLATE ${data.name}`);
    const url = `${server}/${other}`;
    expect(await runProgram(['keys', 'list'], { DATABASE_URL: url })).toEqual(refused);
    await administer(server, `DROP DATABASE ${other}`);
  });

  test('is detected also if the role cannot read the identifier of the cluster', async () => {
    await using data = await prepareFilled();
    await runSql(data.url, 'REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
    await runSql(
      data.url,
      `DO $$ BEGIN CREATE ROLE untold LOGIN PASSWORD 'secret'; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
       ALTER SCHEMA animal_store OWNER TO untold;
       GRANT ALL ON ALL TABLES IN SCHEMA animal_store TO untold`,
    );
    const env = { DATABASE_URL: data.url.replace(/\/\/[^@]*@/, '//untold:secret@') };
    expect((await runProgram(['keys', 'list'], env)).exitCode).toBe(0);
    await dump(data.url);
    await restoreDump(data.url);
    await runSql(
      data.url,
      'GRANT USAGE ON SCHEMA animal_store TO untold; GRANT ALL ON ALL TABLES IN SCHEMA animal_store TO untold',
    );
    expect(await runProgram(['keys', 'list'], env)).toEqual(refused);
    expect((await runProgram(['accept-restored'], env)).exitCode).toBe(0);
    expect((await runProgram(['keys', 'list'], env)).exitCode).toBe(0);
  });
});

describe('PostgreSQL data needs no accept-restored', () => {
  test('after its tables were rewritten', async () => {
    await using data = await prepareFilled();
    await administer(data.server, 'VACUUM FULL', data.name);
    await runSql(
      data.url,
      `ALTER TABLE meta ALTER COLUMN system_identifier TYPE varchar(99);
       ALTER TABLE workspaces SET (fillfactor = 50); CLUSTER workspaces USING workspaces_pkey;
       REINDEX TABLE workspaces`,
    );
    expect(await addOnce(data.url)).toBe(11n);
  });

  test('on a copy of its files, as on a promoted standby', async () => {
    await using original = await startPostgresServer();
    expect(await addOnce(`${original.url}/postgres`)).toBe(1n);
    await original.end('SIGINT');
    const folder = `${original.folder}-copy`;
    cpSync(original.folder, folder, { recursive: true });
    const { uid, gid } = owner();
    if (uid !== undefined) Bun.spawnSync(['chown', '-R', `${uid}:${gid}`, folder]);
    await using copied = await startPostgresServer({ folder });
    expect(await addOnce(`${copied.url}/postgres`)).toBe(2n);
  });

  test('after it was copied to another database', async () => {
    await using data = await prepareFilled();
    await using target = await createTestDatabase('empty');
    const copied = await data.run('copy', '--from', data.url, '--to', target.url);
    expect(copied.exitCode).toBe(0);
    expect(await addOnce(target.url)).toBe(11n);
  });
});

describe('accept-restored', () => {
  test('creates no tables, and rejects an invalid gap', async () => {
    await using empty = await createTestDatabase('empty');
    const env = { DATABASE_URL: empty.url };
    expect(await runProgram(['accept-restored'], env)).toEqual(
      refusal('The database holds no data'),
    );
    expect(await runProgram(['accept-restored', '--id-gap', '-1'], env)).toEqual(
      refusal('--id-gap must be a whole number from 0 to 999999999999, got "-1"', 2),
    );
  });
});
