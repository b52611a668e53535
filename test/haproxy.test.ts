import { describe, expect, test } from 'bun:test';
import { publishedHaproxyIsMissing, startPublishedHaproxy } from './support/published-haproxy.ts';

const missing = publishedHaproxyIsMissing();
const title = 'HAProxy with the configuration of docs/deploy';

describe.skipIf(missing !== undefined)(
  missing === undefined ? title : `${title}, left out: ${missing}`,
  () => {
    test('adds the address of its client to X-Forwarded-For, after the addresses that the client sent', async () => {
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
    });
  },
);
