import { startServer } from '../../src/http/server.ts';
import { connect } from '../support/raw-connection.ts';
import { openTestApp } from '../support/test-app.ts';
import type { Hostility } from './hostility.ts';
import { apiKeyPlace, fragmented, httpCorpus } from './http-corpus.ts';
import { type HttpProxy, proxies } from './proxies.ts';

export const proxyHostilities: readonly Hostility[] = proxies.map((proxy) => ({
  name: proxy.name,
  title: `bytes that are not quite HTTP, through ${proxy.title}`,
  promise:
    'Behind a proxy, the requests that reach the service are those that the proxy passed on, each once; ' +
    'no client gets the answer of another.',
  missing: proxy.missing,
  async run() {
    const { sent, forwarded, dispatched, ...faults } = await sendThroughProxy(proxy);
    const { smuggled, unfounded, astray, failures } = faults;
    return {
      figures: [
        `${sent} cases sent, ${forwarded} requests passed on by the proxy, ${dispatched} dispatched`,
        `${smuggled.length} smuggled, ${astray.length} answers astray`,
      ],
      broken: [
        ...smuggled.map((url) => `smuggled ${url}`),
        ...unfounded.map((id) => `answered without a dispatch: ${id}`),
        ...astray,
        ...failures.map(String),
      ],
    };
  },
}));

export interface ThroughProxy {
  readonly sent: number;
  readonly forwarded: number;
  readonly dispatched: number;
  /** Requests that reached the app, and that the proxy does not know of, or passed on once alone. */
  readonly smuggled: readonly string[];
  /** Requests that the proxy saw succeed, and that never reached the app. */
  readonly unfounded: readonly string[];
  /** Answers that reached a client who had not asked for them. */
  readonly astray: readonly string[];
  readonly failures: readonly unknown[];
}

/**
 * Sends every case through a proxy, each on a connection of its own, all at once. The proxy gives each request
 * that it passes on an id; so what it says it passed on can be held against what the app was given.
 */
export async function sendThroughProxy(proxy: HttpProxy): Promise<ThroughProxy> {
  await using app = await openTestApp();
  const dispatched: { id: string; url: string }[] = [];
  await using server = startServer({
    hostname: '127.0.0.1',
    port: 0,
    app(request) {
      dispatched.push({ id: request.headers.get('x-request-id') ?? '', url: request.url });
      return app.app(request);
    },
  });
  const running = await proxy.start(Number(new URL(server.origin).port));
  const cases = [...httpCorpus, ...fragmented];
  const received = await Promise.all(
    cases.map(async ({ text }, index) => {
      const connection = await connect(running.port);
      await connection.send([
        text.replaceAll('CASE', number(index)).replaceAll(apiKeyPlace, app.apiKey),
      ]);
      return connection.received;
    }),
  );
  const forwarded = await running.stop();

  const forwardedIds = new Set(forwarded.map(({ id }) => id));
  const seen = new Set<string>();
  const smuggled: string[] = [];
  for (const { id, url } of dispatched) {
    if (!forwardedIds.has(id) || seen.has(id)) smuggled.push(url);
    seen.add(id);
  }
  const urls = new Map(dispatched.map(({ id, url }) => [id, url]));
  const astray = received.flatMap((text, index) =>
    [...text.matchAll(/^x-request-id: (\S+)/gim)]
      .map(([, id = '']) => urls.get(id) ?? id)
      .filter((url) => !/case[=-]([0-9]{4})/.exec(url)?.[1]?.includes(number(index)))
      .map((url) => `${cases[index]?.name} got the answer to ${url}`),
  );
  return {
    sent: cases.length,
    forwarded: forwarded.length,
    dispatched: dispatched.length,
    smuggled,
    unfounded: forwarded
      .filter(({ id, httpStatus }) => !seen.has(id) && !(httpStatus >= 400))
      .map(({ id }) => id),
    astray,
    failures: app.failures,
  };
}

function number(index: number): string {
  return String(index).padStart(4, '0');
}
