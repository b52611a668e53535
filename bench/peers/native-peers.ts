import { copyFileSync, existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../test/support/free-port.ts';
import { runChild } from '../children.ts';
import { apiKey, authorization } from '../servers/animal-store.ts';
import { type ListeningOptions, startListening } from '../servers/listening.ts';
import { animalStoreDialect, type Subject } from '../subject.ts';
import type { RunningServer, Workbench } from '../workbench.ts';

const folder = import.meta.dir;
/** Peers are built and installed here at first use. Git ignores this folder. */
const built = join(folder, 'built');

type Launch = Pick<ListeningOptions, 'command' | 'env' | 'headers'>;

/** Starts a server in a new folder, with only the animals. */
async function start(
  { folder: runFolder, pinning }: Workbench,
  name: string,
  launch: (port: number, place: string) => Launch,
): Promise<RunningServer> {
  const port = findFreePort();
  const place = mkdtempSync(join(runFolder, 'native-'));
  const options = { name, port, cores: pinning.server, folder: place };
  return await startListening({ ...options, ...launch(port, place) });
}

/** Runs a build with all environment variables of the user, such as the path of a compiler. */
async function build(
  [tool = '', ...rest]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const path = Bun.which(tool);
  if (path === null) throw new Error(`this machine has no ${tool}`);
  const settings = Object.entries({ ...process.env, ...env }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  try {
    await runChild([path, ...rest], { folder, env: Object.fromEntries(settings) });
  } catch (error) {
    const lines = String(error).split('\n');
    const reason = lines.findLast((line) => /error/i.test(line)) ?? lines[0];
    throw new Error(`its build with ${tool} failed: ${reason?.trim().slice(0, 300)}`);
  }
}

/** A peer that we wrote. All of them take the same arguments and have the same paths. */
const plain = (name: string, prepare: () => Promise<readonly string[]>): Subject => ({
  dialect: { ...animalStoreDialect, listBelow: (id) => `/v1/pets?limit=20&cursor=${id}` },
  lacks: 'workspaces, ETag, Idempotency-Key, strict bodies, migrations, metrics',
  async start(workbench, { animalsPath }) {
    const program = await prepare();
    return await start(workbench, name, (port, place) => ({
      command: [...program, `${port}`, join(place, 'animals.db'), animalsPath],
      env: { API_KEY: apiKey },
      headers: authorization,
    }));
  },
});

export const axum = plain('axum + rusqlite', async () => {
  const target = join(built, 'axum');
  const manifest = ['--manifest-path', 'axum/Cargo.toml', '--target-dir', target];
  // Cargo builds only what has changed.
  await build(['cargo', 'build', '--release', '--locked', '--quiet', ...manifest]);
  return [join(target, 'release', 'axum-rusqlite')];
});

export const fastApi = plain('FastAPI + SQLModel', async () => {
  const environment = join(built, 'fastapi');
  const python = join(environment, 'bin', 'python');
  const wanted = join(folder, 'fastapi', 'requirements.txt');
  const installed = join(environment, 'requirements.txt');
  if (!existsSync(installed) || !readFileSync(installed).equals(readFileSync(wanted))) {
    await build(['python3', '-m', 'venv', '--clear', environment]);
    await build([python, '-m', 'pip', 'install', '--quiet', '--requirement', wanted]);
    copyFileSync(wanted, installed);
  }
  return [python, join(folder, 'fastapi', 'server.py')];
});

/** The newest version that Go 1.26 builds. */
export const pocketBaseVersion = 'v0.39.11';
const pocketBaseFolder = join(built, `pocketbase-${pocketBaseVersion}`);
const records = '/api/collections/pets/records';
const recordsPage = (filter = '') =>
  `${records}?perPage=20&skipTotal=1&sort=-id&filter=${encodeURIComponent(filter)}`;
const recordId = (id: number) => `${id}`.padStart(15, '0');

export const pocketBase: Subject = {
  dialect: {
    collection: records,
    list: () => recordsPage(),
    listBelow: (id) => recordsPage(`id<'${recordId(id)}'`),
    single: (id) => `${records}/${recordId(id)}`,
  },
  lacks: 'flushes (a power cut loses the last writes), keys, exact int64, order of new animals',
  async start(workbench, { animalsPath }) {
    const program = join(pocketBaseFolder, 'base');
    if (!existsSync(program)) {
      const source = `github.com/pocketbase/pocketbase/examples/base@${pocketBaseVersion}`;
      await build(['go', 'install', source], { GOBIN: pocketBaseFolder, CGO_ENABLED: '0' });
    }
    return await start(workbench, 'PocketBase', (port, place) => ({
      command: [
        ...[program, 'serve', '--http', `127.0.0.1:${port}`, '--dir', join(place, 'data')],
        ...['--migrationsDir', join(folder, 'pocketbase'), '--automigrate=false'],
        ...['--hooksDir', join(place, 'hooks'), '--publicDir', join(place, 'public')],
        '--hooksWatch=false',
      ],
      env: { ANIMALS: animalsPath },
      headers: {},
    }));
  },
};
