import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from './free-port.ts';
import { endProxy, isMissing, spawnProxy, waitUntilListening } from './proxy-process.ts';
import { replaceEach } from './replace-each.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const published = join(import.meta.dir, '../../docs/deploy/Caddyfile');

interface PublishedCaddy extends AsyncDisposable {
  readonly port: number;
}

/** The reason why it cannot run on this machine, or undefined if it can. */
export function publishedCaddyIsMissing(): string | undefined {
  return isMissing('caddy', 'caddy');
}

/** Caddy with docs/deploy/Caddyfile, without TLS and with other ports. */
export async function startPublishedCaddy(serverPort: number): Promise<PublishedCaddy> {
  const folder = makeTemporaryFolder();
  const port = findFreePort();
  const configPath = join(folder.path, 'Caddyfile');
  const config = replaceEach(readFileSync(published, 'utf8'), [
    ['\n{\n', '\n{\n\tadmin off\n\tauto_https off\n'],
    ['animals.example {', `http://127.0.0.1:${port} {`],
    ['127.0.0.1:8080', `127.0.0.1:${serverPort}`],
  ]);
  writeFileSync(configPath, config);
  const environment = { XDG_DATA_HOME: folder.path, XDG_CONFIG_HOME: folder.path };
  const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
  const command = ['caddy', 'run', '--config', configPath, '--adapter', 'caddyfile'];
  const child = spawnProxy(['env', ...variables, ...command]);
  await waitUntilListening(child, port);
  return {
    port,
    async [Symbol.asyncDispose]() {
      await endProxy(child, 'SIGKILL');
      folder[Symbol.dispose]();
    },
  };
}
