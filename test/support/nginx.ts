import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endProxy, isMissing, spawnProxy, waitUntilListening } from './proxy-process.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export interface Nginx extends AsyncDisposable {
  /** The folder of its configuration, logs and bodies. */
  readonly folder: string;
  readonly pid: number;
  /** Ends it after its running requests. */
  stop(): Promise<void>;
}

/** The reason why nginx cannot run on this machine, or undefined if it can. */
export function nginxIsMissing(): string | undefined {
  return isMissing('nginx', 'nginx-light');
}

/** Starts nginx with these lines of its `http` block, created for its folder. Waits until it listens on each port. */
export async function startNginx(
  ports: readonly number[],
  httpBlock: (folder: string) => string,
): Promise<Nginx> {
  const folder = makeTemporaryFolder();
  const configPath = join(folder.path, 'nginx.conf');
  writeFileSync(configPath, mainConfig(folder.path, httpBlock(folder.path)));
  // Otherwise nginx opens the log of the system, which only root can write.
  const errorLog = join(folder.path, 'error.log');
  const child = spawnProxy(['nginx', '-c', configPath, '-p', folder.path, '-e', errorLog]);
  for (const port of ports) await waitUntilListening(child, port);
  let ending: Promise<void> | undefined;
  return {
    folder: folder.path,
    pid: child.pid,
    stop() {
      ending ??= endProxy(child, 'SIGQUIT');
      return ending;
    },
    async [Symbol.asyncDispose]() {
      // Otherwise it waits for clients that keep their connections open.
      if (ending === undefined) await endProxy(child, 'SIGTERM');
      folder[Symbol.dispose]();
    },
  };
}

function mainConfig(place: string, httpBlock: string): string {
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${place}/nginx.pid;
error_log ${place}/error.log;
events { worker_connections 4096; }
http {
  access_log ${place}/main.log;
  client_body_temp_path ${place}/body;
  proxy_temp_path ${place}/proxy;
  fastcgi_temp_path ${place}/fastcgi;
  uwsgi_temp_path ${place}/uwsgi;
  scgi_temp_path ${place}/scgi;
${httpBlock}
}
`;
}
