import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** A request that a proxy passed on, as its own log tells. */
export interface Forwarded {
  /** The `X-Request-Id` that the proxy gave it. */
  readonly id: string;
  readonly httpStatus: number;
}

export interface RunningProxy {
  readonly port: number;
  /** Ends it and tells what it passed on, each once for every time. */
  stop(): Promise<readonly Forwarded[]>;
}

export interface HttpProxy {
  readonly name: string;
  readonly title: string;
  /** Says why it cannot run on this machine; undefined where it can. */
  missing(): string | undefined;
  start(upstreamPort: number): Promise<RunningProxy>;
}

/** Each shares its connections to the server among all clients, which is where smuggling does most harm. */
export const proxies: readonly HttpProxy[] = [
  nginx('nginx-streams', 'nginx that streams bodies', 'off'),
  nginx('nginx-collects', 'nginx that collects bodies', 'on'),
  haproxy('haproxy', 'HAProxy', ''),
  haproxy(
    'haproxy-lenient',
    'HAProxy that lets malformed requests pass',
    'option accept-invalid-http-request',
  ),
];

/** Programs of administrators lie where only the PATH of root leads. */
const path = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin`;

function isMissing(program: string, debianPackage: string): string | undefined {
  if (Bun.which(program, { PATH: path }) !== null) return undefined;
  return `this machine has no ${program} (Debian: ${debianPackage})`;
}

function nginx(name: string, title: string, collects: 'on' | 'off'): HttpProxy {
  return {
    name,
    title,
    missing: () => isMissing('nginx', 'nginx-light'),
    async start(upstreamPort) {
      const folder = makeTemporaryFolder();
      const port = findFreePort();
      const configPath = join(folder.path, 'nginx.conf');
      const config = nginxConfig(folder.path, port, upstreamPort, collects);
      writeFileSync(configPath, config);
      const child = spawn(['nginx', '-c', configPath, '-p', folder.path]);
      await waitUntilListening(child, port);
      return {
        port,
        async stop() {
          await end(child, 'SIGQUIT');
          const log = readFileSync(join(folder.path, 'access.log'), 'utf8');
          folder[Symbol.dispose]();
          return readLog(log);
        },
      };
    },
  };
}

function nginxConfig(place: string, port: number, upstreamPort: number, collects: 'on' | 'off') {
  return `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${place}/nginx.pid;
error_log ${place}/error.log;
events { worker_connections 4096; }
http {
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
  client_body_temp_path ${place}/body;
  proxy_temp_path ${place}/proxy;
  fastcgi_temp_path ${place}/fastcgi;
  uwsgi_temp_path ${place}/uwsgi;
  scgi_temp_path ${place}/scgi;
  upstream server { server 127.0.0.1:${upstreamPort}; keepalive 8; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://server; }
  }
}
`;
}

function haproxy(name: string, title: string, option: string): HttpProxy {
  return {
    name,
    title,
    missing: () => isMissing('haproxy', 'haproxy'),
    async start(upstreamPort) {
      const folder = makeTemporaryFolder();
      const port = findFreePort();
      const configPath = join(folder.path, 'haproxy.cfg');
      writeFileSync(configPath, haproxyConfig(port, upstreamPort, option));
      // Into a file: HAProxy drops the lines for which a pipe has no room.
      const logPath = join(folder.path, 'access.log');
      const child = spawn(['haproxy', '-db', '-f', configPath], logPath);
      await waitUntilListening(child, port);
      return {
        port,
        async stop() {
          await end(child, 'SIGUSR1');
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
  hard-stop-after 1s
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

/** Lines of `request`, an id, where it went, and the answer's status; `-` and `<NOSRV>` mean nowhere. */
function readLog(log: string): Forwarded[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('request '))
    .map((line) => line.split(' '))
    .filter(([, , server]) => server !== '-' && server !== '<NOSRV>')
    .map(([, id = '', , httpStatus]) => ({ id, httpStatus: Number(httpStatus) }));
}

type Child = ReturnType<typeof spawn>;

function spawn(command: readonly string[], outputPath = '/dev/null') {
  const [program = '', ...rest] = command;
  return Bun.spawn([Bun.which(program, { PATH: path }) ?? program, ...rest], {
    env: { ...process.env, PATH: path },
    stdin: 'ignore',
    stdout: Bun.file(outputPath),
    stderr: 'pipe',
  });
}

async function end(child: Child, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await child.exited;
}

function findFreePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  listener.stop();
  return listener.port;
}

async function waitUntilListening(child: Child, port: number): Promise<void> {
  for (;;) {
    try {
      (await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })).end();
      return;
    } catch {
      if (child.exitCode !== null) {
        throw new Error(`The proxy did not start: ${await new Response(child.stderr).text()}`);
      }
      await Bun.sleep(10);
    }
  }
}
