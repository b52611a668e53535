/** A free port. It is below those that the system assigns, so that no connection takes it by chance. */
export function findFreePort(): number {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    try {
      Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop();
      return port;
    } catch {
      // Another program uses it.
    }
  }
}
