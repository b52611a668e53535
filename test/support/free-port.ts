/** A port that nothing uses. It is below those that the system itself hands out, or else a connection could take it at once. */
export function findFreePort(): number {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop();
      return port;
    } catch {
      // Another program has it.
    }
  }
}
