import { expect, test } from 'bun:test';
import { findFreePort } from './support/free-port.ts';
import { connect } from './support/raw-connection.ts';
import { refusal, runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

test('each unknown variable is a line of the log with the nearest setting, and those of Kubernetes are none', async () => {
  using folder = makeTemporaryFolder();
  const link = 'tcp://10.96.0.12:9090';
  await using server = await startServerProcess(`sqlite:${folder.path}/a.db`, {
    env: {
      ANIMAL_STORE_LOG_LEVLE: 'debug',
      ANIMAL_STORE_DATABASE_URL: 'sqlite:b.db',
      ANIMAL_STORE_DATABASE_ULR: 'sqlite:b.db',
      ANIMAL_STORE_BACKUPS: '1',
      ANIMAL_STORE_EVENT_DAYS: '',
      ANIMAL_STORE_PORT: link,
      ANIMAL_STORE_SERVICE_HOST: '10.96.0.12',
      ANIMAL_STORE_SERVICE_PORT_HTTP: '9090',
      ANIMAL_STORE_PORT_9090_TCP: link,
      ANIMAL_STORE_PORT_9090_TCP_ADDR: '10.96.0.12',
      // A Service can have the name of a setting.
      ANIMAL_STORE_METRICS_PORT: link,
    },
  });
  const warnings = server
    .output()
    .stdout.split('\n')
    .filter((line) => line.includes('"level":40'))
    .map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(warnings).toEqual([
    'the variable ANIMAL_STORE_LOG_LEVLE is no setting; did you mean ANIMAL_STORE_LOG_LEVEL?',
    'the variable ANIMAL_STORE_DATABASE_URL is no setting; did you mean DATABASE_URL?',
    'the variable ANIMAL_STORE_DATABASE_ULR is no setting; did you mean DATABASE_URL?',
    'the variable ANIMAL_STORE_BACKUPS is no setting',
  ]);
});

test('a folder of backups that cannot be read, or is not used, is a line of the log', async () => {
  using folder = makeTemporaryFolder();
  const missing = `${folder.path}/nope`;
  const warningsOf = async (...args: string[]) => {
    const url = `sqlite:${folder.path}/a.db`;
    await using server = await startServerProcess(url, {
      args: ['--backup-folder', missing, ...args],
    });
    await server.stop('SIGTERM');
    const lines = server.output().stdout.split('\n');
    return lines.flatMap((line) => (line.includes('"level":40') ? [JSON.parse(line).msg] : []));
  };
  expect(await warningsOf()).toEqual(['--backup-folder has no effect without --metrics-port']);
  expect(await warningsOf('--metrics-port', '0')).toEqual([
    expect.stringMatching(/^the folder of --backup-folder cannot be read: ENOENT.*nope'$/),
  ]);
});

test('a host of the shell that cannot be used is named with its variable', async () => {
  using folder = makeTemporaryFolder();
  const host = 'x86_64-conda-linux-gnu.invalid';
  const reason = 'no host has that name; choose a name or an address of this machine';
  const environment = { DATABASE_URL: `sqlite:${folder.path}/a.db`, HOST: host, PORT: '0' };
  expect(await runProgram(['serve'], environment)).toEqual(
    refusal(
      `Cannot listen on ${host}, which the variable HOST names (--host overrules it), port 0: ${reason}`,
    ),
  );
  expect(await runProgram(['serve', '--host', host], environment)).toEqual(
    refusal(`Cannot listen on ${host} port 0: ${reason}`),
  );
});

test.each(['0.0.0.0', '::'])('a server on %s logs an address that can be opened', async (host) => {
  using folder = makeTemporaryFolder();
  const args = ['--host', host];
  await using server = await startServerProcess(`sqlite:${folder.path}/a.db`, { args });
  const line = server
    .output()
    .stdout.split('\n')
    .find((each) => each.includes('"msg":"ready"'));
  const ready = JSON.parse(line ?? '{}') as { url: string; host: string };
  expect(ready.url).toMatch(/^http:\/\/(127\.0\.0\.1|\[::1\]):[0-9]+\/v1$/);
  expect(ready.host).toBe(host);
  expect((await fetch(ready.url.replace('/v1', '/livez'))).status).toBe(200);
});

test('health ends with 0 if the server is ready, and says why not otherwise', async () => {
  using folder = makeTemporaryFolder();
  const port = findFreePort();
  // A proxy for other hosts must not get a request for this machine.
  const proxy = { HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9' };
  const environment = { PORT: String(port), HOST: '0.0.0.0', ...proxy };
  const origin = `http://127.0.0.1:${port}`;
  expect(await runProgram(['health'], environment)).toEqual(
    refusal(`${origin}/readyz does not answer: no connection`),
  );
  await using server = await startServerProcess(`sqlite:${folder.path}/a.db`, {
    args: ['--port', String(port)],
  });
  const isReady = { exitCode: 0, stdout: '', stderr: '' };
  for (const args of [
    ['health'],
    ['health', '--for', 'reads'],
    ['health', `${server.origin}/v1`],
    ['health', `${server.origin}/`],
  ]) {
    expect(await runProgram(args, environment)).toEqual(isReady);
  }
  expect(await runProgram(['health', `${server.origin}/none`], proxy)).toEqual(
    refusal(`${server.origin}/none/readyz answers 404`),
  );
});

test.each([
  [
    ['ftp://127.0.0.1'],
    'URL must be the http or https URL of a server, such as http://127.0.0.1:8080, got "ftp://127.0.0.1"',
  ],
  [
    ['https://a:b@127.0.0.1'],
    'URL must be the http or https URL of a server, such as http://127.0.0.1:8080',
  ],
  [['--for', 'writes'], '--for must be one of reads, got "writes"'],
  [['--port', '0'], '--port must be the port of the server, got 0'],
])('health %p ends with 2', async (args, line) => {
  expect(await runProgram(['health', ...args])).toEqual(refusal(line, 2));
});

test('an idle connection is kept as long as --keep-alive says', async () => {
  using folder = makeTemporaryFolder();
  const start = (name: string, keepAlive: string) =>
    startServerProcess(`sqlite:${folder.path}/${name}.db`, { args: ['--keep-alive', keepAlive] });
  await using short = await start('short', '1s');
  await using long = await start('long', '240s');
  const ask = async ({ origin }: { origin: string }) => {
    const { port } = new URL(origin);
    const connection = await connect(Number(port));
    await connection.send(['GET /livez HTTP/1.1\r\nHost: a\r\n\r\n']);
    return connection;
  };
  const [kept, ended] = [await ask(long), await ask(short)];
  let isEnded = false;
  void kept.received.then(() => {
    isEnded = true;
  });
  expect(await ended.received).toStartWith('HTTP/1.1 200 OK');
  expect(isEnded).toBe(false);
  kept.terminate();
}, 30_000);

test.each(['0', '999s', '5m', '1d'])('--keep-alive %s is refused', async (text) => {
  const refused = await runProgram(['serve', '--keep-alive', text]);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('at most 240s')]);
});
