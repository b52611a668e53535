import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { authorization } from '../servers/animal-store.ts';
import { findFreePort, type RunningServer } from '../servers/running-server.ts';
import type { Workbench } from '../workbench.ts';
import { peerFile, peersFolder } from './install.ts';
import { startNodePeer } from './node-peer.ts';

/** Starts a peer on the same animals. `animalsPath` is a file of JSON: `{"pets":[…]}`. */
export type StartPeer = (workbench: Workbench, animalsPath: string) => Promise<RunningServer>;

/** Databases of peers begin anew with each start. */
let startCount = 0;

export const startFastify: StartPeer = (workbench, animalsPath) => {
  const port = findFreePort();
  startCount += 1;
  return startNodePeer(workbench, {
    name: 'Fastify + better-sqlite3',
    port,
    arguments: [
      join(peersFolder, 'fastify-better-sqlite3.mjs'),
      `${port}`,
      join(workbench.folder, `fastify-${startCount}.db`),
      animalsPath,
    ],
    env: { API_KEY: authorization.authorization.replace('Bearer ', '') },
    headers: authorization,
  });
};

/** Keeps everything in one JSON file, which it writes anew after each change; no flush, no keys. */
export const startJsonServer: StartPeer = (workbench, animalsPath) => {
  const port = findFreePort();
  startCount += 1;
  const database = join(workbench.folder, `json-server-${startCount}.json`);
  copyFileSync(animalsPath, database);
  return startNodePeer(workbench, {
    name: 'json-server',
    port,
    arguments: [
      peerFile('json-server/lib/cli/bin.js'),
      ...['--host', '127.0.0.1', '--port', `${port}`, '--quiet', '--snapshots', workbench.folder],
      database,
    ],
    headers: {},
  });
};

/**
 * Answers with the examples of the document and stores nothing. It runs in one process, as the other
 * servers do: its second one, for the log, does not start on the Node.js of the peers.
 */
export const startPrism: StartPeer = (workbench) => {
  const port = findFreePort();
  return startNodePeer(workbench, {
    name: 'Prism',
    port,
    arguments: [
      peerFile('@stoplight/prism-cli/dist/index.js'),
      ...['mock', '--host', '127.0.0.1', '--port', `${port}`],
      ...['--multiprocess', 'false', '--verboseLevel', 'silent'],
      join(peersFolder, '../../openapi.yaml'),
    ],
    headers: authorization,
  });
};
