// Preloaded into the real program, it puts `dying-writer-thread.ts` where the writer's thread is.

globalThis.Worker = class extends Worker {
  constructor() {
    super(new URL('dying-writer-thread.ts', import.meta.url));
  }
};
