import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findFreePort } from '../../test/support/free-port.ts';
import { startListening } from '../servers/listening.ts';
import type { StaticFile } from '../test-animals.ts';
import type { RunningServer, Workbench } from '../workbench.ts';

interface NginxOptions {
  readonly name: string;
  readonly files: readonly StaticFile[];
  /** Keeps files open between requests, so that nginx does not open one for each. */
  readonly keepFilesOpen: boolean;
}

/** Serves the same bytes as static files: one worker, no access log, sendfile, connections kept alive. */
export async function startNginx(
  { folder, pinning }: Workbench,
  { name, files, keepFilesOpen }: NginxOptions,
): Promise<RunningServer> {
  const place = mkdtempSync(join(folder, 'nginx-'));
  const root = join(place, 'root');
  for (const { path, body } of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), body);
  }
  const port = findFreePort();
  const configPath = join(place, 'nginx.conf');
  writeFileSync(configPath, nginxConfig(place, port, keepFilesOpen));
  const command = ['nginx', '-c', configPath, '-p', place, '-e', join(place, 'error.log')];
  return await startListening({ name, command, port, cores: pinning.server, headers: {} });
}

function nginxConfig(place: string, port: number, keepFilesOpen: boolean): string {
  // The worker reads files of the user that runs the benchmark.
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${place}/nginx.pid;
error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  keepalive_timeout 60s;
  keepalive_requests 1000000000;
  default_type application/json;
  ${keepFilesOpen ? 'open_file_cache max=10000;' : ''}
  client_body_temp_path ${place}/body;
  proxy_temp_path ${place}/proxy;
  fastcgi_temp_path ${place}/fastcgi;
  uwsgi_temp_path ${place}/uwsgi;
  scgi_temp_path ${place}/scgi;
  server {
    listen 127.0.0.1:${port};
    root ${place}/root;
    location = /v1/pets { alias ${place}/root/newest; }
  }
}
`;
}
