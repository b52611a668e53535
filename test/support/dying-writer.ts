// The program preloads this file, which replaces the writer's thread by `dying-writer-thread.ts`.

globalThis.Worker = class extends Worker {
  constructor() {
    super(new URL('dying-writer-thread.ts', import.meta.url));
  }
};
