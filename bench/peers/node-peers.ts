import { copyFileSync, existsSync, mkdtempSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { arch } from 'node:process';
import { findFreePort } from '../../test/support/free-port.ts';
import { runChild } from '../children.ts';
import { apiKey, authorization } from '../servers/animal-store.ts';
import { startListening } from '../servers/listening.ts';
import { animalStoreDialect, type Dialect, type Subject } from '../subject.ts';
import type { RunningServer, Workbench } from '../workbench.ts';

const folder = import.meta.dir;
const modules = join(folder, 'node_modules');

/**
 * Starts a peer on Node.js. At first use, and when the lock file has changed, all peers are installed beside this file. Their
 * installation scripts do not run: none needs them, because better-sqlite3 contains its binaries. Node.js is one of the
 * packages, so that all machines use the same version.
 */
async function startOnNode(
  { pinning, folder: runFolder }: Workbench,
  name: string,
  script: string,
  options: (port: number, place: string) => readonly string[],
): Promise<RunningServer> {
  const installed = join(modules, '.package-lock.json');
  const wanted = join(folder, 'package-lock.json');
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(wanted).mtimeMs) {
    await runChild(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], { folder });
  }
  const port = findFreePort();
  const place = mkdtempSync(join(runFolder, 'node-'));
  const node = join(modules, `node-linux-${arch}`, 'bin', 'node');
  return await startListening({
    name,
    command: [node, script, ...options(port, place)],
    port,
    cores: pinning.server,
    folder: place,
    env: { NODE_ENV: 'production', API_KEY: apiKey },
    headers: authorization,
  });
}

export const fastify: Subject = {
  dialect: { ...animalStoreDialect, listBelow: (id) => `/v1/pets?limit=20&cursor=${id}` },
  lacks: 'exact int64, workspaces, ETag, Idempotency-Key, strict bodies, migrations, metrics',
  start: (workbench, { animalsPath }) =>
    startOnNode(
      workbench,
      'Fastify + better-sqlite3',
      join(folder, 'fastify-better-sqlite3.mjs'),
      (port, place) => [`${port}`, join(place, 'animals.db'), animalsPath],
    ),
};

const jsonServerPage = '/pets?_sort=id&_order=desc&_limit=20';

export const jsonServer: Subject = {
  dialect: {
    collection: '/pets',
    list: () => jsonServerPage,
    listBelow: (id) => `${jsonServerPage}&id_lte=${id - 1}`,
    single: (id) => `/pets/${id}`,
  },
  lacks: 'durability (one file, written again after changes), keys, checks, exact int64',
  start: (workbench, { animalsPath }) =>
    startOnNode(
      workbench,
      'json-server',
      join(modules, 'json-server/lib/cli/bin.js'),
      (port, place) => {
        const database = join(place, 'animals.json');
        copyFileSync(animalsPath, database);
        const where = ['--host', '127.0.0.1', '--port', `${port}`, '--snapshots', place];
        return [...where, '--quiet', database];
      },
    ),
};

const withoutBase = (path: string) => path.replace('/v1', '');

/** Prism serves the document without its base path. */
const prismDialect: Dialect = {
  collection: '/pets',
  list: () => withoutBase(animalStoreDialect.list()),
  listBelow: (id) => withoutBase(animalStoreDialect.listBelow(id)),
  single: (id) => `/pets/${id}`,
};

export const prism: Subject = {
  dialect: prismDialect,
  lacks: 'storage: it answers with the examples of our document',
  // In one process, because its second process, for the log, does not start on this Node.js.
  start: (workbench) =>
    startOnNode(workbench, 'Prism', join(modules, '@stoplight/prism-cli/dist/index.js'), (port) => [
      ...['mock', '--host', '127.0.0.1', '--port', `${port}`],
      ...['--multiprocess', 'false', '--verboseLevel', 'silent'],
      join(folder, '../../openapi.yaml'),
    ]),
};
