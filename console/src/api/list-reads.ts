import { signal } from '@preact/signals';
import type { createReplay } from './replay.ts';
import { messageOf } from './service.ts';

type Read = (stopped: AbortSignal) => Promise<void>;

/** The reads of a list. One runs at a time, and the next one replaces it. Changes during a read are applied again after it. */
export function createReads(
  record: ReturnType<typeof createReplay>['record'],
  isComplete: () => boolean,
) {
  const state = signal<'loading' | 'ready' | 'complete' | 'failed'>('loading');
  const message = signal('');
  let running: { readonly controller: AbortController; done: Promise<void> } | undefined;
  let last: Read | undefined;

  function end(): void {
    running = undefined;
    state.value = isComplete() ? 'complete' : 'ready';
  }

  function run(read: Read): Promise<void> {
    running?.controller.abort();
    const controller = new AbortController();
    running = { controller, done: attempt(read, controller) };
    return running.done;
  }

  async function attempt(read: Read, controller: AbortController): Promise<void> {
    const isCurrent = () => running?.controller === controller;
    const recording = record();
    last = read;
    state.value = 'loading';
    try {
      await read(controller.signal);
      recording.applyAgain();
      if (isCurrent()) end();
    } catch (error) {
      if (!isCurrent()) return;
      running = undefined;
      message.value = messageOf(error);
      state.value = 'failed';
    } finally {
      recording.stop();
    }
  }

  return {
    state,
    message,
    run,
    isIdle: () => running === undefined && state.peek() !== 'failed',
    /** The end of the read that runs, if any. */
    done: () => running?.done,
    retry(): void {
      if (last !== undefined) void run(last);
    },
    stop(): void {
      running?.controller.abort();
      end();
    },
  };
}

/** A drag of the scroll bar is read where it stays for this long. */
const restMilliseconds = 80;

interface Sought {
  /** The place of the first row. It is read once, also if the rows there turn out to have another place. */
  readonly first: number;
  readonly timer: ReturnType<typeof setTimeout>;
  isRead: boolean;
}

/** Opens a window at the rows in sight. Of a drag, only the last place is read. */
export function createSeeking(
  reads: ReturnType<typeof createReads>,
  openPlace: (first: number, last: number, stopped: AbortSignal) => Promise<void>,
) {
  let sought: Sought | undefined;

  function forget(): void {
    if (sought === undefined) return;
    const { timer, isRead } = sought;
    sought = undefined;
    clearTimeout(timer);
    if (!isRead) reads.stop();
  }

  function start(first: number, last: number): void {
    void reads.run(async (stopped) => {
      await openPlace(first, last, stopped);
      if (sought !== undefined) sought.isRead = true;
    });
  }

  return {
    to(first: number, last: number): void {
      if (sought?.first === first) return;
      forget();
      reads.stop();
      const timer = setTimeout(() => start(first, last), restMilliseconds);
      sought = { first, timer, isRead: false };
    },
    /** The rows in sight are loaded, or are read in another way. */
    forget,
  };
}
