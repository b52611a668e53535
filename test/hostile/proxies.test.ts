import { describe, expect, test } from 'bun:test';
import { proxies } from './proxies.ts';
import { sendThroughProxy } from './through-proxy.ts';

describe('behind a proxy, the app gets each forwarded request once, and each client its own answers:', () => {
  for (const proxy of proxies) {
    const missing = proxy.missing();
    const name = missing === undefined ? proxy.title : `${proxy.title}, left out: ${missing}`;
    test.skipIf(missing !== undefined)(name, async () => {
      const { sent, forwarded, dispatched, ...faults } = await sendThroughProxy(proxy);
      expect(faults).toEqual({ smuggled: [], unfounded: [], astray: [], failures: [] });
      expect(dispatched).toBeGreaterThan(40);
      expect(forwarded).toBeGreaterThanOrEqual(dispatched);
      expect(sent).toBeGreaterThan(dispatched);
    });
  }
});
