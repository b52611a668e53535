import { describe, expect, test } from 'bun:test';
import { proxies } from './proxies.ts';
import { sendThroughProxy } from './through-proxy.ts';

/** The others take longer: `npm run test:hostile`. */
const quick = proxies.filter(({ name }) => ['nginx-streams', 'haproxy'].includes(name));

describe('what reaches the app is what the proxy passed on, each once, and answers go to who asked:', () => {
  for (const proxy of quick) {
    const missing = proxy.missing();
    const name = missing === undefined ? proxy.title : `${proxy.title}, left out: ${missing}`;
    test.skipIf(missing !== undefined)(name, async () => {
      const { sent, forwarded, dispatched, ...faults } = await sendThroughProxy(proxy);
      expect(faults).toEqual({ smuggled: [], unfounded: [], astray: [], failures: [] });
      expect(dispatched).toBeGreaterThan(100);
      expect(forwarded).toBeGreaterThanOrEqual(dispatched);
      expect(sent).toBeGreaterThan(dispatched);
    });
  }
});
