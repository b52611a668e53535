import { Database as Connection } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { addedId, call } from './support/call-server.ts';
import { serveBriefly } from './support/data-files.ts';
import {
  runOnTerminal,
  runProgram,
  type ServerProcess,
  startServerProcess,
} from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const apiKey = 'key-of-the-life-test';
const env = { ANIMAL_STORE_API_KEY: apiKey };

/** A new folder with the path of a data file, and its acknowledged ids. */
function prepare() {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'a.db');
  const ids: number[] = [];
  const start = (at = path) => startServerProcess(`sqlite:${at}`, { env });
  const add = async (server: ServerProcess) => {
    ids.push(await addedId(server, apiKey));
  };
  return {
    folder: folder.path,
    path,
    ids,
    start,
    add,
    run: (...args: string[]) => runProgram(args, { DATABASE_URL: `sqlite:${path}` }),
    /** Serves, adds animals, and ends by a signal. */
    async serve(signal: NodeJS.Signals, animals = 3) {
      if (signal === 'SIGTERM') {
        ids.push(...(await serveBriefly(path, animals)));
        return;
      }
      await using server = await start();
      for (let count = 0; count < animals; count += 1) await add(server);
      await server.stop(signal);
    },
    /** Runs SQL as another program does. */
    sql(text: string) {
      using connection = new Connection(path, { readwrite: true });
      connection.run(text);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

type Data = ReturnType<typeof prepare>;

/** Starts a server, which must have every acknowledged animal and give the next one another id. */
async function expectHealthy({ ids, add, start }: Data, path?: string): Promise<void> {
  await using server = await start(path);
  const response = await call(server, apiKey, '/v1/pets?limit=100');
  const found = ((await response.json()) as { id: number }[]).map(({ id }) => id);
  expect(found.toSorted()).toEqual(ids.toSorted());
  await add(server);
  expect(new Set(ids).size).toBe(ids.length);
}

const serve = ['serve', '--port', '0'];
const writing = [
  serve,
  ['keys', 'create', '--name', 'a'],
  ['demo', '--animals', '1'],
  ['workspaces', 'create', 'shop'],
  ['migrate'],
];

/** The commands refuse in one line that names the way on, and change no file. */
async function expectRefused(data: Data, found: string, commands = [serve]): Promise<void> {
  const contents = () =>
    readdirSync(data.folder).map((name) => [name, Bun.hash(readFileSync(join(data.folder, name)))]);
  const before = contents();
  for (const args of commands) {
    const { exitCode, stderr, stdout } = await data.run(...args);
    expect([args, exitCode, stdout]).toEqual([args, 1, '']);
    expect(stderr).toMatch(/^animal-store: .+\n$/);
    expect(stderr).toContain(found);
    expect(stderr).toContain('animal-store accept-restored');
  }
  // SQLite makes the index of a log when it reads the log.
  expect(contents().filter(([name]) => !/-shm$/.test(String(name)))).toEqual(
    before.filter(([name]) => !/-shm$/.test(String(name))),
  );
}

const healthy: Record<string, (data: Data) => Promise<unknown>> = {
  'after two kills': async ({ serve }) => {
    await serve('SIGKILL');
    await serve('SIGKILL');
  },
  'after a kill and keys list': async ({ serve, run }) => {
    await serve('SIGKILL');
    expect((await run('keys', 'list')).exitCode).toBe(0);
  },
  'after a kill, keys list and the loss of NAME.life': async ({ serve, run, path }) => {
    await serve('SIGKILL');
    expect((await run('keys', 'list')).exitCode).toBe(0);
    rmSync(`${path}.life`);
  },
  'after a kill, keys create and the loss of NAME.life': async ({ serve, run, path }) => {
    await serve('SIGKILL');
    expect((await run('keys', 'create', '--name', 'a')).exitCode).toBe(0);
    rmSync(`${path}.life`);
  },
  'after a kill and a read by another program that closes last': async ({ serve, sql }) => {
    await serve('SIGKILL');
    sql('SELECT 1 FROM pets');
  },
  'after a kill and the loss of NAME.life beside its log': async ({ serve, path }) => {
    await serve('SIGKILL');
    rmSync(`${path}.life`);
  },
  'after a stop and the loss of NAME.life': async ({ serve, path }) => {
    await serve('SIGTERM');
    rmSync(`${path}.life`);
  },
  'after checkpoints, VACUUM and touch beside a running server': async ({
    start,
    add,
    sql,
    path,
  }) => {
    await using server = await start();
    for (const statement of ['VACUUM', 'PRAGMA wal_checkpoint(TRUNCATE)', 'VACUUM']) {
      await add(server);
      sql(statement);
      await add(server);
      utimesSync(path, new Date(), new Date());
    }
    await add(server);
    await server.stop('SIGKILL');
  },
  'after NAME.life was emptied under a running server': async ({ start, add, path }) => {
    await using server = await start();
    await add(server);
    writeFileSync(`${path}.life`, '');
    await add(server);
    await server.stop('SIGKILL');
  },
  'after its log was emptied and then put back as it was': async ({ start, add, path }) => {
    await using server = await start();
    await add(server);
    const before = ['', '-wal'].map(
      (suffix) => [path + suffix, readFileSync(path + suffix)] as const,
    );
    writeFileSync(`${path}-wal`, '');
    expect(await server.ended).toBe(1);
    for (const [file, contents] of before) writeFileSync(file, contents);
  },
  'after a part of its last page was cut, which its log has': async ({ serve, start, path }) => {
    await serve('SIGTERM');
    await using server = await start();
    truncateSync(path, statSync(path).size - 40);
    await server.stop('SIGKILL');
  },
  'after the program without life wrote to it': async ({ serve, sql, path }) => {
    await serve('SIGTERM');
    sql('DROP TABLE life');
    rmSync(`${path}.life`);
  },
};

describe('data that lacks nothing', () => {
  test.each(Object.entries(healthy))('is served %s', async (_, act) => {
    using data = prepare();
    await act(data);
    await expectHealthy(data);
  });

  test('is served where its file, log and NAME.life were moved after a kill', async () => {
    using data = prepare();
    await data.serve('SIGKILL');
    const moved = join(data.folder, 'moved.db');
    for (const suffix of ['', '-wal', '.life']) renameSync(data.path + suffix, moved + suffix);
    await expectHealthy(data, moved);
  });

  test('is served as the kept file of a restore, after a kill', async () => {
    using data = prepare();
    await data.serve('SIGTERM');
    const backup = join(data.folder, 'b.db');
    await data.run('backup', backup);
    await data.serve('SIGKILL');
    const { stdout } = await data.run('restore', backup);
    const [, kept = ''] = /^The replaced file is kept as (\S+)\.$/m.exec(stdout) ?? [];
    await expectHealthy(data, kept);
  });

  test('is served where the backup of a running server was restored', async () => {
    using data = prepare();
    const backup = join(data.folder, 'b.db');
    await using server = await data.start();
    await data.add(server);
    expect((await data.run('backup', backup)).exitCode).toBe(0);
    const restored = join(data.folder, 'restored.db');
    const restore = ['restore', backup, '--id-gap', '0'];
    await runProgram(restore, { DATABASE_URL: `sqlite:${restored}` });
    await expectHealthy(data, restored);
  });
});

const ids = 'lacks acknowledged writes';
const other = 'is not the file that';

const lost: Record<string, { act: (data: Data) => Promise<unknown>; found: string }> = {
  'an older copy of its file after a stop': {
    async act({ serve, path }) {
      await serve('SIGTERM');
      copyFileSync(path, `${path}.old`);
      await serve('SIGTERM');
      copyFileSync(`${path}.old`, path);
    },
    found: other,
  },
  'an older copy of its file beside the log of a killed server': {
    async act({ serve, path }) {
      await serve('SIGTERM');
      copyFileSync(path, `${path}.old`);
      await serve('SIGTERM');
      await serve('SIGKILL');
      copyFileSync(`${path}.old`, path);
    },
    found: ids,
  },
  'no log after a kill': {
    async act({ serve, path }) {
      await serve('SIGKILL');
      rmSync(`${path}-wal`);
    },
    found: ids,
  },
  'an emptied log after a kill': {
    async act({ serve, path }) {
      await serve('SIGKILL');
      writeFileSync(`${path}-wal`, '');
    },
    found: ids,
  },
  'an older copy of its log after a kill': {
    async act({ start, add, path }) {
      await using server = await start();
      await add(server);
      copyFileSync(`${path}-wal`, `${path}.older`);
      await add(server);
      await server.stop('SIGKILL');
      copyFileSync(`${path}.older`, `${path}-wal`);
    },
    found: ids,
  },
  'a copy of its backup': {
    async act({ serve, run, path, folder }) {
      await serve('SIGTERM');
      await run('backup', join(folder, 'b.db'));
      copyFileSync(join(folder, 'b.db'), path);
    },
    found: other,
  },
  'a copy of its backup beside the log of a killed server': {
    async act({ serve, run, path, folder }) {
      await serve('SIGTERM');
      await run('backup', join(folder, 'b.db'));
      await serve('SIGKILL');
      copyFileSync(join(folder, 'b.db'), path);
    },
    found: other,
  },
  'a copy of its backup beside the index of a log that was removed': {
    async act({ serve, run, path, folder }) {
      await serve('SIGTERM');
      await run('backup', join(folder, 'b.db'));
      await serve('SIGKILL');
      rmSync(`${path}-wal`);
      copyFileSync(join(folder, 'b.db'), path);
    },
    found: other,
  },
  'the file of another database': {
    async act({ serve, path }) {
      await serve('SIGTERM');
      using another = prepare();
      await another.serve('SIGTERM');
      copyFileSync(another.path, path);
    },
    found: other,
  },
  'a copy of the file of a running server without NAME.life and log': {
    async act({ start, add, path }) {
      await using server = await start();
      await add(server);
      copyFileSync(path, `${path}.snapshot`);
      await server.stop('SIGTERM');
      for (const suffix of ['', '.life']) rmSync(path + suffix);
      renameSync(`${path}.snapshot`, path);
    },
    found: 'was in use by a server when it was copied',
  },
};

describe('data with', () => {
  test.each(Object.entries(lost))('%s is refused until accept-restored', async (_, way) => {
    using data = prepare();
    await way.act(data);
    await expectRefused(data, way.found);
    const accepted = await data.run('accept-restored', '--id-gap', '5000');
    expect([accepted.exitCode, accepted.stdout]).toEqual([
      0,
      expect.stringContaining('New ids start 5000 above those of the restored data.\n'),
    ]);
    const [, kept = ''] = /^The file as it was is kept as (\S+)\.$/m.exec(accepted.stdout) ?? [];
    expect(existsSync(kept)).toBe(true);
    expect((await data.run('verify')).exitCode).toBe(0);
    await using server = await data.start();
    const next = Math.max(0, ...data.ids);
    await data.add(server);
    expect(data.ids.at(-1)).toBeGreaterThan(next);
    const events = await call(server, apiKey, '/v1/events?type=feed.reset');
    expect(await events.json()).toHaveLength(1);
  });

  test('no pages at its end, which its log has not, is refused after a kill until a restore', async () => {
    using data = prepare();
    await data.serve('SIGTERM');
    const backup = join(data.folder, 'b.db');
    await data.run('backup', backup);
    {
      await using server = await data.start();
      truncateSync(data.path, statSync(data.path).size - 10 * 4096);
      await server.stop('SIGKILL');
    }
    await expectRefused(data, 'was cut, and its log does not have what is missing', writing);
    expect((await data.run('restore', backup)).exitCode).toBe(0);
    await expectHealthy(data);
  });

  test('a part of an older file beside the log of later commits is refused, although the log has what is cut', async () => {
    using data = prepare();
    const { path } = data;
    await data.serve('SIGTERM', 1);
    data.sql('CREATE TABLE last_page (x)');
    const older = readFileSync(path);
    await data.run('keys', 'create', '--name', 'In the file');
    {
      using reader = new Connection(path, { readonly: true });
      reader.run('BEGIN');
      reader.query('SELECT 1 FROM pets').get();
      await data.run('keys', 'create', '--name', 'In the log');
      data.sql('INSERT INTO last_page VALUES (1)');
    }
    rmSync(`${path}-shm`);
    writeFileSync(path, older.subarray(0, -40));
    await expectRefused(data, 'lacks acknowledged writes');
  });

  test('no log after a kill is restored above all acknowledged ids', async () => {
    using data = prepare();
    await data.serve('SIGTERM');
    const backup = join(data.folder, 'b.db');
    await data.run('backup', backup);
    await data.serve('SIGKILL');
    rmSync(`${data.path}-wal`);
    const { exitCode, stdout } = await data.run('restore', backup, '--id-gap', '5000');
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(
        'The replaced data lacks acknowledged writes, so new ids start 5000 above its ids and those of the backup.\n',
      ),
    ]);
    await using server = await data.start();
    const last = Math.max(...data.ids);
    await data.add(server);
    expect(data.ids.at(-1)).toBeGreaterThan(last);
  });

  test.each([
    ['copy', (path: string) => ['copy', '--from', `sqlite:${path}`, '--to', `sqlite:${path}.new`]],
    ['backup', (path: string) => ['backup', `${path}.backup`]],
    ['accept-restored --id-gap 0', () => ['accept-restored', '--id-gap', '0']],
  ])('no log after a kill is refused by %s, which would hide what is missing', async (_, args) => {
    using data = prepare();
    await data.serve('SIGKILL');
    rmSync(`${data.path}-wal`);
    const { exitCode, stderr } = await data.run(...args(data.path));
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(ids)]);
    expect(readdirSync(data.folder).filter((name) => /new$|backup$/.test(name))).toEqual([]);
  });

  test('a log without a whole frame and without NAME.life is refused like no log', async () => {
    using data = prepare();
    await data.serve('SIGKILL');
    rmSync(`${data.path}.life`);
    writeFileSync(`${data.path}-wal`, readFileSync(`${data.path}-wal`).subarray(0, 32));
    await expectRefused(data, 'was in use by a server when it was copied');
  });

  test('no log after a kill is refused by every command that writes', async () => {
    using data = prepare();
    await data.serve('SIGKILL');
    rmSync(`${data.path}-wal`);
    await expectRefused(data, ids, writing);
  });

  test('no file is not created again beside its NAME.life', async () => {
    using data = prepare();
    await data.serve('SIGTERM');
    for (const suffix of ['', '.lock']) rmSync(data.path + suffix);
    const { exitCode, stderr } = await data.run('serve', '--port', '0');
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`a.db.life shows that there was: restore a backup`),
    ]);
    expect((await data.run('demo', '--create-data', 'always')).exitCode).toBe(0);
    const kept = readdirSync(data.folder).filter((name) => name.startsWith('a.db.life.'));
    expect(kept).toHaveLength(1);
  });

  test('an emptied file beside its lock is not created again', async () => {
    using data = prepare();
    await data.serve('SIGTERM');
    writeFileSync(data.path, '');
    for (const args of [['serve', '--port', '0'], ['demo']]) {
      const { exitCode, stderr } = await data.run(...args);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('shows that there was')]);
    }
    rmSync(`${data.path}.life`);
    const { stderr } = await data.run('serve', '--port', '0');
    expect(stderr).toContain('or that its first start was interrupted');
  });
});

describe('on a terminal', () => {
  test.each(['restore', 'accept-restored'])(
    '%s names the data and changes nothing without yes',
    async (command) => {
      using data = prepare();
      await data.serve('SIGTERM');
      const backup = join(data.folder, 'b.db');
      await data.run('backup', backup);
      const before = readFileSync(data.path);
      const args = command === 'restore' ? [command, backup] : [command];
      const at = { DATABASE_URL: `sqlite:${data.path}` };
      const refused = await runOnTerminal(args, at, 'Type yes to continue', 'no\r');
      expect([refused.exitCode, refused.shown]).toEqual([
        1,
        expect.stringContaining(`${data.path} (3 animals)`),
      ]);
      expect(refused.shown).toContain('Nothing was changed');
      expect(readFileSync(data.path)).toEqual(before);
      const done = await runOnTerminal(args, at, 'Type yes to continue', 'yes\r');
      expect([done.exitCode, done.shown]).toEqual([0, expect.stringContaining('is kept as')]);
      const again = await runOnTerminal([...args, '--yes'], at, 'Type yes', 'no\r');
      expect([again.exitCode, again.shown]).toEqual([0, expect.not.stringContaining('Type yes')]);
    },
  );
});
