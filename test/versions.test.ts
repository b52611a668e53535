import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import client from '../client/package.json' with { type: 'json' };
import packageJson from '../package.json' with { type: 'json' };
import { operations } from '../src/http/operations.ts';
import { readContainerfile } from './support/containerfile.ts';
import { makeNewerProgram } from './support/newer-program.ts';
import { fetchMetrics } from './support/parse-metrics.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

test('both packages, the lock file and the container have the version of package.json', () => {
  const { version } = packageJson;
  const lock = JSON.parse(readFileSync(join(import.meta.dir, '../package-lock.json'), 'utf8'));
  const labels = readContainerfile()
    .image.filter(({ name }) => name === 'LABEL')
    .flatMap(({ text }) => text.split(' '));
  expect({
    version,
    client: client.version,
    locked: [lock.version, lock.packages[''].version, lock.packages.client.version],
    labels,
  }).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    client: version,
    locked: [version, version, version],
    labels: expect.arrayContaining([`org.opencontainers.image.version=${version}`]),
  });
});

test('docs/decisions/versions.md names the stable operations', () => {
  const page = readFileSync(join(import.meta.dir, '../docs/decisions/versions.md'), 'utf8');
  const [, names = ''] = /^\| stable operations: (.*?) \|/m.exec(page) ?? [];
  const stable = operations.filter(({ stability }) => stability === undefined);
  expect(names.split(', ').sort()).toEqual(
    stable.map(({ operationId }) => `\`${operationId}\``).sort(),
  );
});

test('the next version shows its own version in --version, the log and the metrics, and the same version of the interface', async () => {
  using newer = makeNewerProgram();
  using folder = makeTemporaryFolder();
  const shown = await runProgram(['--version'], {}, undefined, newer.command);
  await using server = await startServerProcess(`sqlite:${join(folder.path, 'a.db')}`, {
    args: ['--metrics-port', '0'],
    program: newer.command,
  });
  const ready = /.*"msg":"ready".*/.exec(server.output().stdout)?.[0] ?? '{}';
  const { version, metrics } = JSON.parse(ready);
  const samples = await fetchMetrics(metrics);
  const labels = samples.find(({ name }) => name === 'animal_store_build_info')?.labels;
  const document = JSON.parse(await (await fetch(`${server.origin}/openapi.json`)).text());
  expect(newer.version).not.toBe(packageJson.version);
  expect([shown.stdout, version, labels?.version, document.info.version]).toEqual([
    `${newer.version}\n`,
    newer.version,
    newer.version,
    '1.0.0',
  ]);
});
