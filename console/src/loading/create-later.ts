import { signal } from '@preact/signals';

/** Code that is loaded when it is first used, or in the background. */
export interface Later<Value> {
  /** Undefined until it is loaded. A component that reads it is drawn again then. */
  readonly value: Value | undefined;
  load(): Promise<Value>;
}

interface LaterOptions {
  readonly rest: (milliseconds: number) => Promise<void>;
  /** Runs if code cannot be loaded, also not after a rest. */
  readonly recover: (cause: unknown) => Promise<never>;
}

const retryMilliseconds = 1000;

/** What loads the parts of a page. */
export function createLater({ rest, recover }: LaterOptions) {
  const parts: (() => Promise<unknown>)[] = [];
  return {
    later<Value>(read: () => Promise<Value>): Later<Value> {
      const loaded = signal<{ readonly value: Value } | undefined>(undefined);
      async function readOnce(): Promise<Value> {
        const value = loaded.peek()?.value ?? (await read());
        loaded.value ??= { value };
        return value;
      }
      parts.push(readOnce);
      return {
        get value() {
          return loaded.value?.value;
        },
        async load() {
          try {
            return await readOnce();
          } catch {
            // Such as a network that is away for a moment.
            await rest(retryMilliseconds);
            return await readOnce().catch(recover);
          }
        },
      };
    },
    /** Loads all parts, one after another, so that what the user asks for does not wait for them. */
    async loadAll(): Promise<void> {
      for (const load of parts) {
        await load().catch(() => {
          // It is tried again when the user opens it.
        });
      }
    },
  };
}
