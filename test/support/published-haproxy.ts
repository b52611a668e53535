import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';
import { endProxy, isMissing, spawnProxy, waitUntilListening } from './proxy-process.ts';
import { replaceEach } from './replace-each.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const published = join(import.meta.dir, '../../docs/deploy/haproxy.cfg');

interface PublishedHaproxy extends AsyncDisposable {
  readonly port: number;
}

/** The reason why it cannot run on this machine, or undefined if it can. */
export function publishedHaproxyIsMissing(): string | undefined {
  return isMissing('haproxy', 'haproxy');
}

/** HAProxy with docs/deploy/haproxy.cfg and other ports. */
export async function startPublishedHaproxy(
  ports: readonly [number, number],
): Promise<PublishedHaproxy> {
  const folder = makeTemporaryFolder();
  const port = findFreePort();
  const configPath = join(folder.path, 'haproxy.cfg');
  const config = replaceEach(readFileSync(published, 'utf8'), [
    ['127.0.0.1:8090', `127.0.0.1:${port}`],
    ['127.0.0.1:8081', `127.0.0.1:${ports[0]}`],
    ['127.0.0.1:8082', `127.0.0.1:${ports[1]}`],
    // Only root can become another user.
    ...(process.getuid?.() === 0 ? [] : ([['  user haproxy\n  group haproxy\n', '']] as const)),
  ]);
  writeFileSync(configPath, config);
  const child = spawnProxy(['haproxy', '-db', '-f', configPath]);
  await waitUntilListening(child, port);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await endProxy(child, 'SIGTERM');
      folder[Symbol.dispose]();
    },
  };
}
