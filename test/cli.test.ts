import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { parseDatabaseUrl } from '../src/ops/setting-values.ts';
import { startBlackHole } from './faults/black-hole.ts';
import { addKeysAndWorkspaces } from './support/add-keys.ts';
import { call } from './support/call-server.ts';
import { createTestDatabase, untilUnused } from './support/postgres.ts';
import {
  program,
  refusal,
  runOnTerminal,
  runProgram,
  type ServerProcess,
  spawnProgram,
  startServerProcess,
} from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

/** A database in a new folder, and the program that uses it. */
function openData() {
  const folder = makeTemporaryFolder();
  const path = join(folder.path, 'test.db');
  const run = (...args: string[]) => runProgram(args, { DATABASE_URL: `sqlite:${path}` });
  return {
    path,
    run,
    async runJson(...args: string[]) {
      const { stdout, stderr, exitCode } = await run(...args, '--json');
      if (exitCode !== 0) throw new Error(stderr);
      return JSON.parse(stdout);
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const list = (server: ServerProcess, apiKey: string, search = '') =>
  call(server, apiKey, `/v1/pets${search}`);

describe('settings', () => {
  test('all invalid settings are reported, a line each, with exit code 2 and nothing written', async () => {
    using folder = makeTemporaryFolder();
    const { exitCode, stdout, stderr } = await runProgram(
      ['serve', '--port', '70000', '--base-url', 'https://shop.example/v2'],
      {
        HOST: 'a b',
        DATABASE_URL: 'mysql://secret@host/db',
        ANIMAL_STORE_ENVIRONMENT: 'test',
        ANIMAL_STORE_STAGING_BASE_URL: 'https://user:secret@shop.example/v1',
        ANIMAL_STORE_CORS_ORIGINS: 'https://*.shop.example',
        ANIMAL_STORE_LOG_LEVEL: 'loud',
        ANIMAL_STORE_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/33',
        ANIMAL_STORE_WEBHOOK_ALLOW: '127.0.0.1:3000, localhost',
        ANIMAL_STORE_API_KEY: 'too-short',
      },
      folder.path,
    );
    expect(exitCode).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n').sort()).toEqual([
      'animal-store: --base-url must be an http or https URL ending in /v1, without a slash after it, a query, a fragment or a password',
      'animal-store: --port must be a whole number from 0 to 65535, got "70000"',
      'animal-store: ANIMAL_STORE_API_KEY must be 20 to 512 characters of A-Z a-z 0-9 - . _ ~ + / with optional = at the end',
      'animal-store: ANIMAL_STORE_CORS_ORIGINS must be * alone, or origins such as https://shop.example, separated by commas, got "https://*.shop.example"',
      'animal-store: ANIMAL_STORE_ENVIRONMENT must be one of production, staging, got "test"',
      'animal-store: ANIMAL_STORE_LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, got "loud"',
      'animal-store: ANIMAL_STORE_STAGING_BASE_URL must be an http or https URL ending in /v1, without a slash after it, a query, a fragment or a password',
      'animal-store: ANIMAL_STORE_TRUSTED_PROXIES must be addresses or ranges such as 127.0.0.1,10.0.0.0/8, separated by commas, got "127.0.0.1, 10.0.0.0/33"',
      'animal-store: ANIMAL_STORE_WEBHOOK_ALLOW must be addresses or ranges such as 127.0.0.1:3000,[::1]:3000,10.0.0.0/8, separated by commas, got "127.0.0.1:3000, localhost"',
      'animal-store: DATABASE_URL must be sqlite: followed by the path of a file, or postgres://USER:PASSWORD@HOST:PORT/NAME',
      'animal-store: HOST must be a host name or address, got "a b"',
    ]);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test.each([
    ['postgres://shop:secret@one:70000/shop', false],
    ['postgres://shop:secret@one:5432,two:0/shop', false],
    ['postgres://shop:secret@one:port/shop', false],
    ['postgres://shop@[::1]/shop', true],
    ['postgres://shop:12@[::1]:1,two/shop?options=a:b', true],
  ])('the ports of %s are checked before the settings', async (url, isFine) => {
    const parsed = parseDatabaseUrl(url);
    expect('value' in parsed).toBe(isFine);
    if (isFine) return;
    expect(await runProgram(['keys', 'list'], { DATABASE_URL: url })).toEqual(
      refusal('DATABASE_URL must be a PostgreSQL URL with ports from 1 to 65535', 2),
    );
  });

  test.each([
    'postgres://shop:s@cret@one:5432/shop',
    'postgres://shop:s/cret@one:5432/shop',
    'postgresql://shop:s cret@one/shop',
    'postgres://shop:s#cret@one/shop',
  ])('%s is refused with the cure, and without the password', async (url) => {
    const { exitCode, stderr } = await runProgram(['keys', 'list'], { DATABASE_URL: url });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('must be percent-encoded (@ as %40, / as %2F, # as %23)\n');
    expect(stderr).not.toContain('cret');
  });

  test.each([
    'postgres:///shop',
    'postgres://shop:secret@/shop?host=/run/postgresql',
    'postgres://shop:secret@%2Frun%2Fpostgresql/shop',
    'postgres://shop:secret@one/shop?sslmode=disable&host=two',
  ])('%s is refused, because its host would be ignored', async (url) => {
    expect(await runProgram(['keys', 'list'], { DATABASE_URL: url })).toEqual(
      refusal(
        'DATABASE_URL must be a PostgreSQL URL with a host: a unix socket, or a host as a parameter, is not supported',
        2,
      ),
    );
  });

  test.each([
    [['serve', '--prot', '1'], "animal-store: unknown option '--prot'"],
    [['sevre'], "animal-store: unknown command 'sevre'"],
    [['keys', 'create'], "animal-store: required option '--name <text>' not specified"],
    [['keys', 'revoke'], "animal-store: missing required argument 'id'"],
    [
      ['serve', '--backup-folder', '/backup', '--database', 'postgres://127.0.0.1:1/none'],
      'animal-store: --backup-folder needs a SQLite database, and the data is in PostgreSQL',
    ],
    [
      ['workspaces', 'list', '--all', '--limit', '5'],
      "animal-store: option '--all' cannot be used with option '--limit <number>'",
    ],
  ])('%p ends with 2 and names the mistake', async (args, line) => {
    const { exitCode, stderr } = await runProgram(args);
    expect(exitCode).toBe(2);
    expect(stderr).toStartWith(line);
  });

  test.each([
    [['--help'], 'Usage: animal-store'],
    [['serve', '--help'], 'env: PORT, default: 8080'],
    [['keys', 'list', '--help'], 'Servers record use once a minute'],
    [['keys', 'rotate', '--help'], '--overlap <duration>'],
    [['workspaces', 'delete', '--help'], '--yes'],
    [['demo', '--help'], '--random-seed <number>'],
    [['restore', '--help'], 'The replaced file is kept\nas NAME.TIME'],
    [['restore', '--help'], 'Arguments:\n  file '],
    [['backup', '--help'], 'Arguments:\n  file '],
    [['console', '--help'], 'port that the server listens on'],
    [['audit', '--help'], 'sign-ins to the'],
    [['migrate', '--help'], 'Back up first: older versions cannot use migrated data'],
    [['copy', '--help'], 'Stop the servers of both databases first'],
  ])('%p prints help and ends with 0', async (args, text) => {
    const { exitCode, stdout } = await runProgram(args);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(text);
  });
});

describe('a mistake is answered in one line:', () => {
  const data = openData();
  beforeAll(async () => {
    await data.run('keys', 'create', '--name', 'a');
    await data.run('workspaces', 'create', 'shop');
  });
  afterAll(() => data[Symbol.dispose]());

  const nowhere = 'Workspace "nowhere" does not exist; run workspaces list to see the workspaces';
  const noKey = 'Key 7 does not exist; run keys list to see the keys';
  const noHttps = 'The console needs HTTPS, except on this machine';
  const listLimit = '--limit must be a whole number from 1 to 999999999, got "0"';

  test.each([
    ['keys create --name \t', 2, '--name must be 1 to 100 characters'],
    [
      'keys create --name a --scopes pets:eat',
      2,
      '--scopes must be a list of scopes, separated by commas: pets:read, pets:write, orders:read, orders:write, events:read, webhooks:manage, got "pets:eat"',
    ],
    ['keys create --name a --expires 0', 2, '--expires must be a whole number'],
    [
      'keys create --name a --rate-limit 0/min',
      2,
      '--rate-limit must be a whole number followed by /s, /min, /h or /d, such as 600/min, got "0/min"',
    ],
    ['keys rotate 7', 1, noKey],
    ['keys rotate 1 --overlap soon', 2, '--overlap must be 0, or a whole number'],
    ['keys revoke 7', 1, noKey],
    ['keys revoke x', 2, 'ID must be the number of a key, got "x"'],
    ['keys list --workspace nowhere', 1, nowhere],
    ['keys list --limit 0', 2, listLimit],
    ['audit --before x', 2, '--before must be the number of an entry, got "x"'],
    ['workspaces create Shop', 2, 'NAME must be 1 to 63 lower-case letters'],
    ['workspaces create default', 1, 'Workspace default already exists'],
    ['workspaces delete nowhere --yes', 1, nowhere],
    ['workspaces delete nowhere', 1, nowhere],
    ['workspaces delete default', 1, 'Workspace default cannot be deleted'],
    ['workspaces delete default --yes', 1, 'Workspace default cannot be deleted'],
    ['demo --animals 0', 2, '--animals must be a whole number from 1 to 100000000, got "0"'],
    ['demo --orders x', 2, '--orders must be a whole number from 0 to 1000000, got "x"'],
    ['demo --random-seed -1', 2, '--random-seed must be a whole number'],
    ['demo --workspace nowhere', 1, nowhere],
    ['console --workspace nowhere', 1, nowhere],
    ['console --port 0', 2, '--port must be the port of the server, got 0'],
    ['console --host 192.168.7.7', 1, noHttps],
    ['console --base-url http://shop.lan/v1', 1, noHttps],
    ['console --environment staging', 1, 'The database belongs to production'],
    ['sessions end', 2, 'Pass either IDs or --all'],
    ['sessions end 0123456789abcdef --all --yes', 2, 'Pass either IDs or --all'],
    ['sessions end a1', 2, 'ID must be 16 hexadecimal digits, got "a1"'],
    ['sessions end 0123456789abcdef --workspace default', 2, '--workspace needs --all'],
    ['sessions end --all', 2, 'stdin is not a terminal; pass --yes'],
    ['sessions end --all --yes --workspace nowhere', 1, nowhere],
    ['sessions end --all --workspace nowhere', 1, nowhere],
    ['sessions list --workspace nowhere', 1, nowhere],
    ['sessions list --limit 0', 2, listLimit],
    ['webhooks resume', 2, 'Pass either IDs or --all'],
    ['webhooks resume 1 --all', 2, 'Pass either IDs or --all'],
    ['webhooks resume one', 2, 'ID must be the number of a webhook, got "one"'],
    ['webhooks resume 0', 2, 'ID must be the number of a webhook, got "0"'],
    ['webhooks resume 1 --from -1', 2, '--from must be now or the sequence of an event, got "-1"'],
    ['webhooks resume --all --from 5', 2, 'With --all, --from must be now'],
    ['webhooks resume --all --workspace nowhere', 1, nowhere],
    ['webhooks resume 1 --workspace nowhere', 1, nowhere],
    ['webhooks list --workspace nowhere', 1, nowhere],
    // As with the value of an unset variable.
    ['webhooks resume 1 --from ', 2, '--from must be now or the sequence of an event, got ""'],
    ['backup ', 2, 'FILE must not be empty'],
    ['restore ', 2, 'FILE must not be empty'],
    ['openapi ', 2, 'FILE must not be empty'],
    ['workspaces create ', 2, 'NAME must not be empty'],
  ])('%j ends with %d', async (command, code, line) => {
    const { exitCode, stdout, stderr } = await data.run(...command.split(' '));
    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toStartWith(`animal-store: ${line}`);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});

test('licenses prints the licence of the service and of all packages, with their texts', async () => {
  const read = (name: string) => readFileSync(join(import.meta.dir, '..', name), 'utf8');
  expect(await runProgram(['licenses'])).toEqual({
    exitCode: 0,
    stdout: `${read('LICENSE')}\n${read('THIRD-PARTY-LICENSES.txt')}`,
    stderr: '',
  });
});

describe('keys', () => {
  test('a key is shown once, works at once on a running server, and is refused once revoked', async () => {
    using data = openData();
    await using server = await startServerProcess(`sqlite:${data.path}`);
    const created = await data.runJson(
      'keys',
      'create',
      '--name',
      'shop',
      '--expires',
      '90d',
      '--rate-limit',
      '600/min',
    );
    expect(created).toMatchObject({
      name: 'shop',
      workspace: 'default',
      state: 'active',
      rateLimit: '600/min',
    });
    expect(Date.parse(created.expiresAt) - Date.parse(created.createdAt)).toBe(90 * 86_400_000);
    expect((await list(server, created.apiKey)).status).toBe(200);

    const { stdout } = await data.run('keys', 'list', '--json');
    expect(stdout).not.toContain(created.apiKey);
    expect(JSON.parse(stdout)).toMatchObject([
      { id: 2, name: 'shop', lastFour: created.apiKey.slice(-4) },
      { id: 1, name: 'first' },
    ]);

    const revoked = await data.run('keys', 'revoke', String(created.id));
    expect(revoked.stdout).toBe(
      `Revoked key ${created.id} (shop, last 4 ${created.apiKey.slice(-4)}).\n`,
    );
    expect((await list(server, created.apiKey)).status).toBe(401);
    const again = await data.run('keys', 'revoke', String(created.id));
    expect(again).toEqual({
      exitCode: 0,
      stdout: `Key ${created.id} (shop, last 4 ${created.apiKey.slice(-4)}) was already revoked.\n`,
      stderr: '',
    });
  });

  test('rotating prints when the old key ends, also if it expires before the overlap ends', async () => {
    using data = openData();
    await data.run('keys', 'create', '--name', 'shop');
    await data.run('keys', 'create', '--name', 'till', '--expires', '1h');
    const listed = async (): Promise<{ expiresAt: string; revokedAt: string }[]> =>
      (await data.runJson('keys', 'list')).toReversed();

    const first = await data.run('keys', 'rotate', '1', '--overlap', '2h');
    const [{ revokedAt } = { revokedAt: '' }] = await listed();
    expect(first.stdout).toStartWith(
      `Key 1 (shop) is valid until ${revokedAt}.\nKey 3 (shop) grants access`,
    );
    const second = await data.runJson('keys', 'rotate', '1', '--overlap', '48h');
    expect(second).toMatchObject({ id: 4, replaces: 1, replacedEndsAt: revokedAt });

    const till = await data.run('keys', 'rotate', '2', '--overlap', '2h');
    const [, { expiresAt } = { expiresAt: '' }] = await listed();
    expect(till.stdout).toStartWith(`Key 2 (till) is valid until ${expiresAt}.\n`);
    const table = await data.run('keys', 'list', '--before', '3', '--limit', '1');
    expect(table.stdout).toContain(` until ${expiresAt} `);
    const ended = await data.run('keys', 'rotate', '2', '--overlap', '0');
    expect(ended.stdout).toMatch(/^Key 2 \(till\) was valid until \S+Z\.\nKey 6 /);
  });

  test('keys create prints the key once, on a line of its own', async () => {
    using data = openData();
    const { stdout } = await data.run('keys', 'create', '--name', 'shop');
    expect(stdout.match(/anst_live_\w+/g)).toHaveLength(1);
    expect(stdout).toMatch(/^ {2}anst_live_\w{38}$/m);
    const listed = await data.run('keys', 'list');
    expect(listed.stdout).toMatch(/^ID +NAME +WORKSPACE +LAST 4 +SCOPES/);
    expect(listed.stdout).toMatch(
      /^1 +shop +default +\w{4} +pets:read,pets:write,orders:read,orders:write,events:read +- +active/m,
    );
  });

  test.each([
    ['create', ['keys', 'create', '--name', 'a']],
    ['rotate', ['keys', 'rotate', '1', '--overlap', '0']],
    ['serve', ['serve', '--port', '0']],
  ])(
    '%s prints the key if the connection fails during its commit, and the key is valid',
    async (name, args) => {
      await using migrated = await createTestDatabase();
      const { port } = new URL(migrated.url);
      if (name === 'rotate') {
        await runProgram(['keys', 'create', '--name', 'a'], { DATABASE_URL: migrated.url });
      }
      await using hole = startBlackHole(Number(port));
      // The first commit of new data claims it for an environment. The next one stores the key.
      hole.breakAt('COMMIT\0', 'after', name === 'rotate' ? 1 : 2);
      const url = migrated.url.replace(`:${port}`, `:${hole.port}`);
      const { exitCode, stdout, stderr } = await runProgram(args, { DATABASE_URL: url });
      expect([exitCode, stdout]).toEqual([1, '']);
      const [first, second = ''] = stderr.trimEnd().split('\n').slice(-2);
      expect(first).toBe('animal-store: The connection failed during the commit');
      expect(second).toMatch(
        /^animal-store: The key may or may not be stored: look for its last 4 \((\w{4})\) in keys list\. It is shown only once: anst_live_\w{34}\1$/,
      );
      const apiKey = second.slice(second.lastIndexOf(' ') + 1);
      await untilUnused(migrated.url);
      await using server = await startServerProcess(migrated.url);
      expect((await list(server, apiKey)).status).toBe(200);
    },
  );

  test('a command ends without a message when its reader closes the pipe, and with one line on a full disk', async () => {
    using data = openData();
    const through = async (line: string, ...args: string[]) => {
      const env = { DATABASE_URL: `sqlite:${data.path}` };
      const child = spawnProgram(args, env, undefined, ['sh', '-c', line, 'sh']);
      const outputs = [child.stdout, child.stderr].map((stream) => new Response(stream).text());
      return await Promise.all(outputs);
    };
    await data.run('workspaces', 'create', 'shop');
    // The fifth descriptor gets the exit code. The reader of standard output reads only a part.
    const unread = 'exec 5>&1; ("$@"; echo "ended with $?" >&5) | exec true';
    expect(await through(unread, 'keys', 'create', '--name', 'a')).toEqual(['ended with 0\n', '']);
    expect(await through(unread, 'keys', '--help')).toEqual(['ended with 0\n', '']);
    if (!existsSync('/dev/full')) return;
    const full = '"$@" >/dev/full; echo "ended with $?"';
    expect(await through(full, 'keys', 'list')).toEqual([
      'ended with 1\n',
      'animal-store: Standard output cannot be written: ENOSPC: no space left on device, write\n',
    ]);
  });

  test('a key that cannot be created claims the data for no environment', async () => {
    using data = openData();
    await data.run('workspaces', 'create', 'shop');
    const failed = await data.run('keys', 'create', '--name', 'a', '--workspace', 'shpo');
    expect(failed).toEqual(
      refusal('Workspace "shpo" does not exist; run workspaces list to see the workspaces'),
    );
    const environment = ['--environment', 'staging'];
    const made = await data.run('keys', 'create', '--name', 'a', ...environment);
    expect(made.exitCode).toBe(0);
  });
});

function accountName(uid: number): string {
  return Bun.spawnSync(['id', '-un', `${uid}`])
    .stdout.toString()
    .trim();
}

describe('a name, path or user with control characters', () => {
  const hiddenInLine = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

  test('of the environment is not in the audit trail, which has the name in the password database', async () => {
    using data = openData();
    const users = ['root (uid 0) on vm\x1b[8m', 'root\nFAKE  ENTRY', '\x1b]0;title\x07', 'mallory'];
    for (const [index, USER] of users.entries()) {
      const create = ['keys', 'create', '--name', `Key ${index}`];
      const env = { DATABASE_URL: `sqlite:${data.path}`, USER, LOGNAME: USER, USERNAME: USER };
      expect((await runProgram(create, env)).exitCode).toBe(0);
    }
    const { stdout } = await data.run('audit');
    expect(stdout).not.toMatch(hiddenInLine);
    expect(stdout).not.toMatch(/FAKE|title|mallory|\(uid 0\)/);
    const uid = process.getuid?.() ?? -1;
    const name = accountName(uid);
    expect(stdout.split(` uid ${uid} "${name}"`)).toHaveLength(1 + users.length);
  });

  // A process that no login started can set it once.
  const withLogin = ['sh', '-c', 'echo 1 > /proc/self/loginuid && exec "$@"', 'sh'];
  const maySetLogin = Bun.spawnSync([...withLogin, 'true']).exitCode === 0;

  test.skipIf(!maySetLogin)(
    'of the account that logged in and became another is in the audit trail',
    async () => {
      using data = openData();
      const uid = process.getuid?.() ?? -1;
      const user = `uid ${uid} "${accountName(uid)}"`;
      const create = ['keys', 'create', '--name', 'first'];
      const env = { DATABASE_URL: `sqlite:${data.path}`, SUDO_UID: '2', SUDO_USER: 'bin' };
      await runProgram(create, env, undefined, [...withLogin, ...program]);
      await runProgram(create, env);
      const entries = JSON.parse((await data.run('audit', '--json')).stdout);
      expect(entries.map(({ actor }: { actor: string }) => actor)).toEqual([
        `${user}, sudo uid 2 "${accountName(2)}", on ${hostname()}`,
        `${user}, login uid 1 "${accountName(1)}", on ${hostname()}`,
      ]);
    },
  );

  test('of a key does not reverse the text around it, in a table, in JSON or in a message', async () => {
    using data = openData();
    const name = 'paw\u202e\u2028\u200b\u{e0041}';
    const shown = String.raw`paw\u202e\u2028\u200b\udb40\udc41`;
    const created = await data.run('keys', 'create', '--name', name);
    expect(created.stdout).toContain(`Key 1 (${shown}) grants`);
    const { stdout } = await data.run('keys', 'list');
    expect(stdout).toContain(` ${shown} `);
    expect(await data.runJson('keys', 'list')).toMatchObject([{ name }]);
    const outputs = [stdout, (await data.run('keys', 'list', '--json')).stdout, created.stdout];
    for (const output of outputs) expect(output).not.toMatch(hiddenInLine);
  });

  test('of a backup cannot add a detail to the audit trail', async () => {
    using data = openData();
    const backup = join(dirname(data.path), 'backup.db');
    await data.run('keys', 'create', '--name', 'a');
    await data.run('backup', backup);
    const manifest = JSON.parse(readFileSync(`${backup}.json`, 'utf8'));
    const madeAt = '2026-01-01T00:00:00.000Z actor="root"';
    writeFileSync(`${backup}.json`, JSON.stringify({ ...manifest, madeAt }));
    expect((await data.run('restore', backup)).exitCode).toBe(0);
    expect((await data.run('audit')).stdout).toContain(` madeAt=${JSON.stringify(madeAt)}`);
  });

  test('of data does not reach the terminal in an error', async () => {
    using folder = makeTemporaryFolder();
    const env = { DATABASE_URL: 'sqlite:\x1b]0;title\x07\nanimal-store: all is well.db' };
    const { stderr, exitCode } = await runProgram(['keys', 'list'], env, folder.path);
    const path = String.raw`/\u001b]0;title\u0007\u000aanimal-store: all is well.db`;
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^[^\n]*${RegExp.escape(path)}\n$`)),
    ]);
    const misused = await runProgram(['keys', '--\x1b[8m']);
    expect(misused.stderr).toContain(String.raw`unknown option '--\u001b[8m'`);
  });
});

describe('of 300 keys and 300 workspaces', () => {
  async function openLongLists() {
    const data = openData();
    await addKeysAndWorkspaces(data.path, 300);
    return data;
  }
  const below = (id: number, count: number) =>
    Array.from({ length: count }, (_, index) => id - 1 - index);

  test('keys and entries are listed 100 at a time, newest first, and all with --all', async () => {
    using data = await openLongLists();
    const lists = [
      [['keys', 'list'], 300, 'keys'],
      [['audit'], 600, 'entries'],
    ] as const;
    for (const [command, count, noun] of lists) {
      const read = async (...args: string[]) => {
        const { stdout, stderr } = await data.run(...command, ...args, '--json');
        return [JSON.parse(stdout).map(({ id }: { id: number }) => id), stderr];
      };
      const more = (id: number) =>
        `The list has older ${noun}. Add --before ${id} to list them, or --all to list everything.\n`;
      expect(await read()).toEqual([below(count + 1, 100), more(count - 99)]);
      expect(await read('--before', '201', '--limit', '2')).toEqual([[200, 199], more(199)]);
      expect(await read('--before', '101')).toEqual([below(101, 100), '']);
      expect(await read('--all')).toEqual([below(count + 1, count), '']);
      expect(await read('--before', '1')).toEqual([[], '']);
      const table = (await data.run(...command, '--all')).stdout.trimEnd().split('\n');
      expect(table).toHaveLength(1 + count);
      expect([table[1], table.at(-1)]).toEqual([
        expect.stringMatching(new RegExp(`^${count} `)),
        expect.stringMatching(/^1 /),
      ]);
    }
  });
});

describe('workspaces', () => {
  test('a new workspace has a catalogue of its own, and is deleted with all its records', async () => {
    using data = openData();
    await using server = await startServerProcess(`sqlite:${data.path}`);
    expect((await data.run('workspaces', 'create', 'shop')).exitCode).toBe(0);
    await data.run('demo', '--animals', '30', '--workspace', 'shop');
    const key = await data.runJson('keys', 'create', '--name', 'a', '--workspace', 'shop');
    expect(await (await list(server, key.apiKey)).json()).toHaveLength(20);
    expect(await data.runJson('workspaces', 'list')).toMatchObject([
      { name: 'default', petCount: 0 },
      { name: 'shop', petCount: 30, activeApiKeyCount: 1 },
    ]);

    const asked = await data.run('workspaces', 'delete', 'shop');
    expect(asked.exitCode).toBe(2);
    expect(asked.stderr).toContain('--yes');
    const deleted = await data.run('workspaces', 'delete', 'shop', '--yes');
    expect(deleted.stdout).toBe('Deleted workspace shop with 30 animals and 1 active key.\n');
    expect((await list(server, key.apiKey)).status).toBe(401);
    expect(await data.runJson('workspaces', 'list')).toHaveLength(1);
  });

  test.each([
    ['Ctrl-C', '\x03', 'Nothing was deleted'],
    ['Ctrl-D', '\x04', 'Nothing was deleted'],
    ['another name', 'shops\r', 'Nothing was deleted'],
    ['its name', 'shop\r', undefined],
  ])(
    'at the question whether to delete a workspace, %s is answered in one line',
    async (_, typed, line) => {
      using data = openData();
      await data.run('workspaces', 'create', 'shop');
      const question = 'Type its name to confirm: ';
      const env = { DATABASE_URL: `sqlite:${data.path}` };
      const args = ['workspaces', 'delete', 'shop'];
      const { exitCode, shown } = await runOnTerminal(args, env, question, typed);
      const left = await data.runJson('workspaces', 'list');
      if (line === undefined) {
        expect(exitCode).toBe(0);
        expect(left).toHaveLength(1);
      } else {
        expect(exitCode).toBe(1);
        expect(shown).toEndWith(`\r\nanimal-store: ${line}\r\n`);
        expect(shown.trimEnd().split('\n')).toHaveLength(2);
        expect(left).toHaveLength(2);
      }
    },
  );
});

describe('without data, it is created and reported by', () => {
  const commands = [
    ['keys', 'create', '--name', 'a'],
    ['workspaces', 'create', 'shop'],
    ['demo', '--animals', '1'],
  ];

  test.each(commands.map((command) => [command]))('%p', async (command) => {
    using folder = makeTemporaryFolder();
    const env = { DATABASE_URL: 'sqlite:data/new.db' };
    const first = await runProgram(command, env, folder.path);
    const path = join(realpathSync(folder.path), 'data/new.db');
    expect([first.exitCode, first.stderr]).toEqual([0, `Created a new database in ${path}\n`]);
    const again = await runProgram(['keys', 'create', '--name', 'b'], env, folder.path);
    expect([again.exitCode, again.stderr]).toEqual([0, '']);
  });

  test('any of them in PostgreSQL', async () => {
    for (const command of commands) {
      await using empty = await createTestDatabase('empty');
      const { exitCode, stderr } = await runProgram(command, { DATABASE_URL: empty.url });
      expect([exitCode, stderr]).toEqual([0, 'Created the tables\n']);
    }
  });

  test('serve, in its log', async () => {
    using data = openData();
    const made = `"path":"${data.path}","msg":"created a new database"`;
    for (const isNew of [true, false]) {
      await using server = await startServerProcess(`sqlite:${data.path}`);
      expect(server.output().stdout.includes(made)).toBe(isNew);
      expect(server.output().stderr).not.toContain('Made');
    }
  });
});

describe('without data, nothing is created by', () => {
  const commands = [
    ['keys', 'list'],
    ['keys', 'revoke', '1'],
    ['keys', 'rotate', '1'],
    ['workspaces', 'list'],
    ['workspaces', 'delete', 'shop', '--yes'],
    ['sessions', 'list'],
    ['sessions', 'end', '0123456789abcdef'],
    ['deprecated-calls'],
    ['audit'],
    ['migrate'],
    ['console'],
    ['verify'],
    // A new database has only the workspace `default`.
    ['demo', '--workspace', 'nowhere'],
    ['keys', 'create', '--name', 'a', '--workspace', 'nowhere'],
  ];

  test.each(commands.map((command) => [command]))('%p', async (command) => {
    using folder = makeTemporaryFolder();
    const env = { DATABASE_URL: 'sqlite:data/mistyped.db' };
    expect(await runProgram(command, env, folder.path)).toEqual(
      refusal(`There is no data in ${join(realpathSync(folder.path), 'data/mistyped.db')}`),
    );
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('those that list, change or check in PostgreSQL', async () => {
    await using empty = await createTestDatabase('empty');
    // There, migrate creates the tables, for roles that cannot.
    for (const command of [['keys', 'list'], ['keys', 'revoke', '1'], ['console'], ['verify']]) {
      expect(await runProgram(command, { DATABASE_URL: empty.url })).toEqual(
        refusal('The database holds no data'),
      );
    }
  });
});

describe('demo', () => {
  test('the same seed creates the same animals, and another seed creates others', async () => {
    using data = openData();
    await data.run('workspaces', 'create', 'same');
    await data.run('workspaces', 'create', 'other');
    const seeds = [
      ['default', '5'],
      ['same', '5'],
      ['other', '6'],
    ] as const;
    await using server = await startServerProcess(`sqlite:${data.path}`);
    const lists = [];
    for (const [workspace, seed] of seeds) {
      const args = ['demo', '--animals', '1500', '--workspace', workspace, '--random-seed', seed];
      const { stdout, stderr } = await data.run(...args);
      expect([stdout, stderr]).toEqual([`Added 1500 animals to workspace ${workspace}.\n`, '']);
      const key = await data.runJson('keys', 'create', '--name', 'a', '--workspace', workspace);
      lists.push(await (await list(server, key.apiKey, '?limit=100')).text());
    }
    expect(lists[0]).toStartWith('[{"id":1500,');
    expect(lists[1]).toBe(lists[0] ?? '');
    expect(lists[2]).not.toBe(lists[0] ?? '');
  });

  test('names the categories of its animals, and places orders', async () => {
    using data = openData();
    const { stdout } = await data.run('demo', '--animals', '200', '--orders', '40');
    expect(stdout).toBe('Added 200 animals to workspace default.\nPlaced 40 orders.\n');
    const { apiKey } = await data.runJson('keys', 'create', '--name', 'a');
    await using server = await startServerProcess(`sqlite:${data.path}`);
    const read = async (path: string) => (await call(server, apiKey, `/v1${path}`)).json();
    expect(await read('/categories/1')).toEqual({ id: 1, name: 'Dogs' });
    const orders = (await read('/store/orders?limit=100')) as { status: string }[];
    expect(orders).toHaveLength(40);
    expect(new Set(orders.map(({ status }) => status)).size).toBe(3);
    expect((await data.run('verify')).exitCode).toBe(0);
  });
});

test('the published document is written to a file or to standard output', async () => {
  using folder = makeTemporaryFolder();
  const { stdout } = await runProgram(['openapi']);
  await runProgram(['openapi', 'contract.yaml'], {}, folder.path);
  expect(existsSync(join(folder.path, 'contract.yaml'))).toBe(true);
  expect(await Bun.file(join(folder.path, 'contract.yaml')).text()).toBe(stdout);
});

describe('console', () => {
  const token = '[A-Za-z0-9_-]{43}';

  test.each([
    [['--base-url', 'https://animals.example/shop/v1'], 'https://animals.example/shop/console'],
    [['--host', '0.0.0.0', '--port', '81'], 'http://127.0.0.1:81/console'],
    [['--host', '::'], 'http://[::1]:8080/console'],
    [['--host', 'localhost'], 'http://localhost:8080/console'],
    [['--staging-base-url', 'https://staging.example/v1'], 'http://127.0.0.1:8080/console'],
  ])('with %p prints the address %s', async (args, url) => {
    using data = openData();
    await data.run('workspaces', 'create', 'shop');
    const inShop = await data.runJson('console', '--workspace', 'shop', ...args);
    const shop = new RegExp(`^${RegExp.escape(`${url}/w/shop/`)}#link=${token}$`);
    expect(inShop).toMatchObject({ url: expect.stringMatching(shop) });
    const printed = await data.runJson('console', ...args);
    expect(printed).toEqual({
      url: expect.stringMatching(new RegExp(`^${RegExp.escape(url)}#link=${token}$`)),
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
  });

  test('says that no server listens on the port', async () => {
    using data = openData();
    await data.run('keys', 'create', '--name', 'a');
    const { exitCode, stderr } = await data.run('console', '--port', '1');
    expect([exitCode, stderr]).toEqual([
      0,
      'animal-store: No server listens on http://127.0.0.1:1: start one within five minutes, or pass its --host and --port\n',
    ]);
  });
});

describe('sessions', () => {
  async function openSessions() {
    const data = openData();
    const server = await startServerProcess(`sqlite:${data.path}`);
    const url = `${server.origin}/console/v1/session`;
    const signIn = async (secret: object) => {
      const answer = await fetch(url, {
        method: 'POST',
        body: JSON.stringify(secret),
        headers: { 'content-type': 'application/json', origin: server.origin },
      });
      const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
      return { cookie, ...((await answer.json()) as { id: string }) };
    };
    const { port } = new URL(server.origin);
    return {
      ...data,
      server,
      signInWithKey: () => signIn({ apiKey: server.firstKey }),
      async signInAsOwner(...args: string[]) {
        const { stdout } = await data.run('console', '--port', port, ...args);
        return signIn({ link: stdout.trim().split('#link=')[1] });
      },
      async statusOf({ cookie }: { cookie: string }) {
        return (await fetch(url, { headers: { cookie } })).status;
      },
      async [Symbol.asyncDispose]() {
        await server[Symbol.asyncDispose]();
        data[Symbol.dispose]();
      },
    };
  }

  test('list shows the signed-in users, and end signs them out of a running server', async () => {
    await using data = await openSessions();
    const holder = await data.signInWithKey();
    const owner = await data.signInAsOwner();
    const { stdout } = await data.run('sessions', 'list');
    const [headings, ...rows] = stdout.trim().split('\n');
    expect(headings).toMatch(/^ID +SIGNED IN AS +WORKSPACE +SIGNED IN +LAST ACTION +ENDS$/);
    expect(rows).toEqual([
      expect.stringMatching(new RegExp(`^${owner.id}  owner +- +20\\S+Z  20\\S+Z  20\\S+Z$`)),
      expect.stringMatching(new RegExp(`^${holder.id}  key 1 \\(first\\) +default `)),
    ]);
    const limited = await data.run('sessions', 'list', '--limit', '1', '--json');
    expect(JSON.parse(limited.stdout)).toEqual([
      {
        id: owner.id,
        kind: 'owner',
        apiKeyId: null,
        apiKeyName: null,
        workspace: null,
        signedInAt: expect.stringMatching(/Z$/),
        lastActiveAt: expect.stringMatching(/Z$/),
        expiresAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect(limited.stderr).toBe(
      'The list has older sessions. Add a larger --limit, or --all to list everything.\n',
    );

    const missing = '0123456789abcdef';
    const ended = await data.run('sessions', 'end', owner.id, missing, owner.id);
    expect(ended).toMatchObject({ exitCode: 1, stdout: 'Ended 1 session.\n' });
    expect(ended.stderr).toStartWith(
      `animal-store: Session ${missing} does not exist; run sessions`,
    );
    expect([await data.statusOf(owner), await data.statusOf(holder)]).toEqual([401, 200]);
    const audit = await data.run('audit');
    expect(audit.stdout).toContain(`console_session_ended  session="${owner.id}" kind="owner"`);
  });

  test('end --all asks first, and ends sessions only after yes', async () => {
    await using data = await openSessions();
    const holder = await data.signInWithKey();
    const question = 'End 1 session? Type yes to confirm: ';
    const env = { DATABASE_URL: `sqlite:${data.path}` };
    const end = (typed: string) =>
      runOnTerminal(['sessions', 'end', '--all'], env, question, typed);
    const declined = await end('y\r');
    expect(declined.exitCode).toBe(1);
    expect(declined.shown).toEndWith('animal-store: No session was ended\r\n');
    expect(await data.statusOf(holder)).toBe(200);
    expect((await end('yes\r')).shown).toEndWith('Ended 1 session.\r\n');
    expect(await data.statusOf(holder)).toBe(401);
  });
});
