import { startServer } from '../../src/http/server.ts';
import { connect } from '../support/raw-connection.ts';
import { openTestApp } from '../support/test-app.ts';
import { caseNumber, caseNumberIn, fillCase, fragmented, httpCorpus } from './http-corpus.ts';
import type { HttpProxy } from './proxies.ts';

/**
 * Sends all cases through a proxy together, each on its own connection. The proxy gives each forwarded request an id and
 * logs it. The ids that the app receives must be those of the log.
 */
export async function sendThroughProxy(proxy: HttpProxy) {
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
      await connection.send([fillCase(text, index, app.apiKey)]);
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
      .filter((url) => caseNumberIn(url) !== caseNumber(index))
      .map((url) => `${cases[index]?.name} got the answer to ${url}`),
  );
  return {
    sent: cases.length,
    forwarded: forwarded.length,
    dispatched: dispatched.length,
    /** Requests that reached the app although the proxy did not forward them, or forwarded them fewer times. */
    smuggled,
    /** Requests with a successful answer that never reached the app. */
    unfounded: forwarded
      .filter(({ id, httpStatus }) => !seen.has(id) && !(httpStatus >= 400))
      .map(({ id }) => id),
    /** Answers that reached the wrong client. */
    astray,
    failures: app.failures,
  };
}
