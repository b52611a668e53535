import {
  type CommandInput,
  type CommandName,
  type CommandOutput,
  DatabaseUnavailable,
} from '../domain/database.ts';
import type { CommandOutcome, PendingCommand } from './group-commit.ts';
import type { FromWriter, ToWriter } from './writer-thread.ts';

/** More than this share no transaction: it bounds how long a group can hold the write lock. */
const groupCommandsMax = 1024;

export interface Writer extends AsyncDisposable {
  write<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
  ): Promise<CommandOutput<Name>>;
}

interface Waiting extends PendingCommand {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The road of every write: commands wait here while the thread flushes those before them, and then go to
 * it together. So the group grows with the load, and a lone command waits for nobody.
 */
export async function openWriter(path: string): Promise<Writer> {
  const thread = new Worker(new URL('./writer-thread.ts', import.meta.url).href);
  let queue: Waiting[] = [];
  let running: Waiting[] = [];
  let broken: DatabaseUnavailable | undefined;
  let closing = false;

  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  thread.onmessage = ({ data }: MessageEvent<FromWriter>) => {
    if ('outcomes' in data) {
      const group = running;
      running = [];
      sendGroup();
      for (const [index, waiting] of group.entries()) settle(waiting, data.outcomes[index]);
    } else if ('opened' in data) {
      opened.resolve();
    } else {
      closed.resolve();
    }
  };
  thread.onerror = (event) => {
    broken = new DatabaseUnavailable(`The writer failed: ${event.message}`);
    opened.reject(broken);
    closed.resolve();
    for (const waiting of [...running, ...queue]) waiting.reject(broken);
    running = [];
    queue = [];
  };

  function send(message: ToWriter): void {
    thread.postMessage(message);
  }

  function sendGroup(): void {
    if (running.length > 0) return;
    running = queue.splice(0, groupCommandsMax);
    if (running.length > 0) {
      send({ group: running.map(({ name, input }) => ({ name, input })) });
    } else if (closing) {
      send({ close: true });
    }
  }

  send({ open: path });
  await opened.promise;

  return {
    write(name, input) {
      if (broken !== undefined) return Promise.reject(broken);
      if (closing) return Promise.reject(new DatabaseUnavailable('The database is closing'));
      return new Promise((resolve, reject) => {
        queue.push({ name, input, resolve: resolve as (output: unknown) => void, reject });
        // What arrives in the same turn of the event loop travels together.
        if (queue.length === 1) queueMicrotask(sendGroup);
      });
    },
    async [Symbol.asyncDispose]() {
      if (!closing && broken === undefined) {
        closing = true;
        sendGroup();
      }
      await closed.promise;
      thread.terminate();
    },
  };
}

function settle(waiting: Waiting, outcome: CommandOutcome | undefined): void {
  if (outcome === undefined) {
    waiting.reject(new Error('The writer gave no outcome'));
  } else if ('output' in outcome) {
    waiting.resolve(outcome.output);
  } else if (outcome.unavailable) {
    waiting.reject(new DatabaseUnavailable(outcome.error));
  } else {
    waiting.reject(new Error(`The writer refused ${waiting.name}: ${outcome.error}`));
  }
}
