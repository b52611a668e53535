import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../support/free-port.ts';
import { nginxIsMissing, startNginx } from '../support/nginx.ts';
import { endProxy, isMissing, spawnProxy, waitUntilListening } from '../support/proxy-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** A forwarded request in the log of a proxy. */
interface Forwarded {
  /** The `X-Request-Id` that the proxy set. */
  readonly id: string;
  readonly httpStatus: number;
}

interface RunningProxy {
  readonly port: number;
  /** Ends the proxy. Returns an entry for each time that it forwarded a request. */
  stop(): Promise<readonly Forwarded[]>;
}

export interface HttpProxy {
  readonly title: string;
  /** Returns the reason why it cannot run on this machine, or undefined if it can. */
  missing(): string | undefined;
  start(upstreamPort: number): Promise<RunningProxy>;
}

/** Each proxy shares its connections to the server between clients. There, smuggled requests cause the most damage. */
export const proxies: readonly HttpProxy[] = [
  nginx('nginx without buffering of requests', 'off'),
  haproxy('HAProxy that accepts malformed requests', 'option accept-invalid-http-request'),
  // `npm run test:long`
  ...(process.env.ANIMAL_STORE_TEST_LONG === undefined
    ? []
    : [nginx('nginx with buffering of requests', 'on'), haproxy('HAProxy', '')]),
];

function nginx(title: string, collects: 'on' | 'off'): HttpProxy {
  return {
    title,
    missing: nginxIsMissing,
    async start(upstreamPort) {
      const port = findFreePort();
      const server = await startNginx([port], (folder) =>
        nginxConfig(folder, port, upstreamPort, collects),
      );
      return {
        port,
        async stop() {
          await server.stop();
          const log = readFileSync(join(server.folder, 'access.log'), 'utf8');
          await server[Symbol.asyncDispose]();
          return readLog(log);
        },
      };
    },
  };
}

function nginxConfig(place: string, port: number, upstreamPort: number, collects: 'on' | 'off') {
  return `
  log_format forwarded 'request $request_id $upstream_addr $upstream_status';
  access_log ${place}/access.log forwarded;
  client_header_timeout 3s;
  client_body_timeout 3s;
  keepalive_timeout 2s;
  lingering_timeout 2s;
  proxy_request_buffering ${collects};
  proxy_next_upstream off;
  proxy_read_timeout 5s;
  proxy_http_version 1.1;
  proxy_set_header Connection '';
  proxy_set_header X-Request-Id $request_id;
  upstream server { server 127.0.0.1:${upstreamPort}; keepalive 8; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://server; }
  }`;
}

function haproxy(title: string, option: string): HttpProxy {
  return {
    title,
    missing: () => isMissing('haproxy', 'haproxy'),
    async start(upstreamPort) {
      const folder = makeTemporaryFolder();
      const port = findFreePort();
      const configPath = join(folder.path, 'haproxy.cfg');
      writeFileSync(configPath, haproxyConfig(port, upstreamPort, option));
      // HAProxy drops lines that do not fit into a pipe, so it logs to a file.
      const logPath = join(folder.path, 'access.log');
      const child = spawnProxy(['haproxy', '-db', '-f', configPath], logPath);
      await waitUntilListening(child, port);
      return {
        port,
        async stop() {
          await endProxy(child, 'SIGUSR1');
          const log = readFileSync(logPath, 'utf8');
          folder[Symbol.dispose]();
          return readLog(log);
        },
      };
    },
  };
}

function haproxyConfig(port: number, upstreamPort: number, option: string): string {
  return `global
  log stdout format raw local0
  hard-stop-after 20s
defaults
  mode http
  log global
  log-format "request %ID %s %ST"
  unique-id-format %[uuid()]
  timeout connect 2s
  timeout client 3s
  timeout server 5s
  timeout http-request 3s
  timeout http-keep-alive 2s
  http-reuse always
  retries 0
frontend clients
  bind 127.0.0.1:${port}
  ${option}
  http-request set-header X-Request-Id %[unique-id]
  default_backend servers
backend servers
  server server 127.0.0.1:${upstreamPort}
`;
}

/** Each line has `request`, the id, the server and the HTTP status. `-` and `<NOSRV>` mean no server. */
function readLog(log: string): Forwarded[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('request '))
    .map((line) => line.split(' '))
    .filter(([, , server]) => server !== '-' && server !== '<NOSRV>')
    .map(([, id = '', , httpStatus]) => ({ id, httpStatus: Number(httpStatus) }));
}
