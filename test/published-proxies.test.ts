import { describe, expect, test } from 'bun:test';
import { publishedCaddyIsMissing, startPublishedCaddy } from './support/published-caddy.ts';
import { publishedHaproxyIsMissing, startPublishedHaproxy } from './support/published-haproxy.ts';
import { connect } from './support/raw-connection.ts';
import { startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

interface Proxy extends AsyncDisposable {
  readonly port: number;
}

const proxies: readonly [string, string | undefined, (port: number) => Promise<Proxy>][] = [
  ['Caddy', publishedCaddyIsMissing(), startPublishedCaddy],
  ['HAProxy', publishedHaproxyIsMissing(), (port) => startPublishedHaproxy([port, port])],
];

describe.each(proxies)('%s with the configuration of docs/deploy', (name, missing, startProxy) => {
  const title = (text: string) => (missing === undefined ? text : `${text}, left out: ${missing}`);
  const testIf = test.skipIf(missing !== undefined);

  async function start() {
    await using starting = new AsyncDisposableStack();
    const folder = starting.use(makeTemporaryFolder());
    const server = starting.use(await startServerProcess(`sqlite:${folder.path}/a.db`));
    const proxy = starting.use(await startProxy(Number(new URL(server.origin).port)));
    const origin = `http://127.0.0.1:${proxy.port}`;
    const headers = {
      authorization: `Bearer ${server.firstKey}`,
      'content-type': 'application/json',
      'accept-encoding': 'gzip',
    };
    // HAProxy sends nothing before its first check of the server.
    for (;;) if ((await fetch(`${origin}/livez`, { headers })).status === 200) break;
    const running = starting.move();
    return {
      origin,
      port: proxy.port,
      headers,
      [Symbol.asyncDispose]: () => running.disposeAsync(),
    };
  }

  testIf(
    title('passes on events of a stream at once, and the tag of a record as it is'),
    async () => {
      await using running = await start();
      const { origin, headers } = running;
      const end = new AbortController();
      const stream = await fetch(`${origin}/v1/events/stream`, { headers, signal: end.signal });
      const added = await fetch(`${origin}/v1/pets`, {
        method: 'POST',
        headers,
        body: '{"name":"Rex","categoryId":1}',
      });
      expect(added.status).toBe(201);
      let text = '';
      for await (const part of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += part;
        if (text.includes('pet.created')) break;
      }
      end.abort();
      const record = await fetch(`${origin}/v1/pets/1`, { headers });
      const etag = record.headers.get('etag') ?? '';
      expect(etag).toBe(added.headers.get('etag') ?? '');
      const changed = await fetch(`${origin}/v1/pets/1`, {
        method: 'PATCH',
        headers: { ...headers, 'if-match': etag },
        body: '{"name":"Max"}',
      });
      expect(changed.status).toBe(200);
    },
  );

  testIf(title('rejects a path with a backslash'), async () => {
    await using running = await start();
    for (const path of ['/v1/..\\console', '/v1/x\\..\\..\\console', '/v1/..%5cconsole']) {
      const connection = await connect(running.port);
      await connection.send([
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${running.port}\r\nConnection: close\r\n\r\n`,
      ]);
      expect([name, path, (await connection.received).slice(0, 12)]).toEqual([
        name,
        path,
        'HTTP/1.1 400',
      ]);
    }
  });
});

test.skipIf(publishedHaproxyIsMissing() !== undefined)(
  'HAProxy adds the address of its client to X-Forwarded-For, after the addresses that the client sent',
  async () => {
    const sent: unknown[] = [];
    const answer = ({ url, headers }: Request) => {
      if (url.endsWith('/v1/pets')) sent.push(headers.get('x-forwarded-for'));
      return new Response();
    };
    using upstream = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer });
    const port = upstream.port ?? 0;
    await using haproxy = await startPublishedHaproxy([port, port]);
    await fetch(`http://127.0.0.1:${haproxy.port}/v1/pets`, {
      headers: { 'x-forwarded-for': '198.51.100.7' },
    });
    expect(sent).toEqual(['198.51.100.7, 127.0.0.1']);
  },
);

test.skipIf(publishedHaproxyIsMissing() !== undefined)(
  'HAProxy brings a path into the form that the service sees',
  async () => {
    const paths: string[] = [];
    using upstream = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        const pathname = request.url.replace(/^https?:..[^/]*/, '');
        if (!pathname.endsWith('readyz')) paths.push(pathname);
        return new Response();
      },
    });
    const port = upstream.port ?? 0;
    await using haproxy = await startPublishedHaproxy([port, port]);
    const sent = ['/v1/../console', '/v1/%2e%2e/console', '/v1/./pets', '/x/../../console'];
    for (const path of sent) {
      const connection = await connect(haproxy.port);
      await connection.send([`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`]);
      await connection.received;
    }
    expect(paths).toEqual(['/console', '/console', '/v1/pets', '/console']);
  },
);
