import type { Database } from '../domain/database/database.ts';
import type { Server } from '../http/server.ts';
import type { OpenLog } from '../ops/log.ts';
import { onStopSignal, type StopSignal } from './stop-signals.ts';

/** How long requests that run may take to finish once the server was told to stop. */
const drainMilliseconds = 8000;

/** The same where nothing can be written any more: their answers are ready, and have but to be sent. */
const brokenDrainMilliseconds = 1000;

/** How long stopping may take until the database is closed. Closing the log comes after it. */
const stopMillisecondsMax = 9000;

/** How long output on standard error may wait for its reader, after everything is closed. */
const lastOutputMilliseconds = 200;

/** Ctrl-C under npm sends the same signal twice: once by the terminal, and once passed on by npm. */
const sameSignalMilliseconds = 500;

/** From the start of a server until it stops. */
export interface Lifetime {
  /** Settles when the process is told to stop. */
  readonly signal: Promise<StopSignal>;
  /** Whether the server wants no more connections: it was told to stop, or can write no more. */
  isDraining(): boolean;
  /** Aborts once no more requests are taken. */
  readonly stopping: AbortSignal;
  /** Begins to stop. */
  stop(): void;
}

export function startLifetime(output: OpenLog): Lifetime {
  const told = Promise.withResolvers<StopSignal>();
  const stopping = new AbortController();
  let draining = false;
  let first: { readonly signal: StopSignal; readonly at: number } | undefined;
  onStopSignal((signal) => {
    const at = performance.now();
    const isSame = signal === first?.signal && at - first.at <= sameSignalMilliseconds;
    if (isSame) return;
    // Whoever asks twice does not want to wait.
    if (draining) {
      void endNow(output);
      return;
    }
    first = { signal, at };
    draining = true;
    told.resolve(signal);
  });
  return {
    signal: told.promise,
    isDraining: () => draining,
    stopping: stopping.signal,
    stop() {
      draining = true;
      stopping.abort();
    },
  };
}

/**
 * Waits until the process is told to stop, and then as long as load balancers need to see that. Throws what broke the
 * database, once nothing can be written any more, and has sent the last answers by then.
 */
export async function serveUntilStopped(
  lifetime: Lifetime,
  server: Server,
  database: Database,
  drainSeconds: number,
  output: OpenLog,
): Promise<void> {
  const { log } = output;
  try {
    const signal = await unlessBroken(database, lifetime.signal);
    if (drainSeconds > 0) {
      log.info({ signal, seconds: drainSeconds }, 'draining');
      await unlessBroken(database, Bun.sleep(drainSeconds * 1000));
    }
    log.info({ signal }, 'stopping');
  } catch (error) {
    log.fatal({ err: error }, 'the database can no longer be written');
    lifetime.stop();
    endInTime(output);
    await server.stop(brokenDrainMilliseconds);
    throw error;
  }
  lifetime.stop();
  endInTime(output);
  if (!(await server.stop(drainMilliseconds))) log.warn('requests were cut off at the deadline');
}

/** Whatever hangs, such as a disk that does not answer, the process ends in time. */
function endInTime(output: OpenLog): void {
  setTimeout(() => {
    if (output.isClosing) return;
    output.log.error('the database could not be closed in time');
    void endNow(output);
  }, stopMillisecondsMax).unref();
}

/** Ends the process as soon as the log is written, or when its reader takes too long. */
async function endNow(output: OpenLog): Promise<void> {
  await output[Symbol.asyncDispose]();
  process.exit(1);
}

/** After the server has stopped: output that waits for a stopped reader must not keep the process alive. */
export function endWithoutReaders(): void {
  setTimeout(() => process.exit(), lastOutputMilliseconds).unref();
}

/** Waits for something, or throws once nothing can be written any more. */
async function unlessBroken<Result>({ broken }: Database, wait: Promise<Result>): Promise<Result> {
  const result = await Promise.race([wait, broken.then((error) => Promise.reject(error))]);
  return result as Result;
}
