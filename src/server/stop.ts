import { after, rest } from '../context/deadline.ts';
import type { Server } from '../http/server.ts';
import type { OpenLog } from '../ops/log.ts';
import type { Database } from '../storage/contract/database.ts';
import { findHangupAction } from '../terminal/signals.ts';

/** How long running requests may take after a stop signal. */
const drainMilliseconds = 8000;

/** The same if the database is broken: the responses are ready and only have to be sent. */
const brokenDrainMilliseconds = 1000;

/** How long stopping may take until the database is closed. Closing the log comes after it. */
const stopMillisecondsMax = 9000;

/** How long output on standard error may wait for its reader, after everything is closed. */
const lastOutputMilliseconds = 200;

/** Ctrl-C under npm sends the same signal twice: the terminal sends one, and npm forwards another. */
const sameSignalMilliseconds = 500;

type StopSignal = 'SIGTERM' | 'SIGINT' | 'SIGHUP';

/** From the start of a server until it stops. */
export function startLifetime(output: OpenLog) {
  const received = Promise.withResolvers<StopSignal>();
  const stopping = new AbortController();
  let draining = false;
  let first: { readonly signal: StopSignal; readonly at: number } | undefined;

  function receive(signal: StopSignal): void {
    const at = performance.now();
    if (signal === first?.signal && at - first.at <= sameSignalMilliseconds) return;
    // A second signal means that the operator does not want to wait.
    if (draining) {
      void endNow(output);
      return;
    }
    first = { signal, at };
    draining = true;
    received.resolve(signal);
  }

  const stopSignals: StopSignal[] = ['SIGTERM', 'SIGINT'];
  if (findHangupAction() === 'stop') stopSignals.push('SIGHUP');
  for (const signal of stopSignals) process.on(signal, () => receive(signal));
  return {
    /** Settles at the first stop signal. */
    signal: received.promise,
    /** Whether the server wants no new connections: it received a stop signal, or its database is broken. */
    isDraining: () => draining,
    /** Aborts when the server accepts no more requests. */
    stopping: stopping.signal,
    /** Begins to stop. Then the process ends in time. */
    stop(): void {
      draining = true;
      stopping.abort();
      endInTime(output);
    },
  };
}

export type Lifetime = ReturnType<typeof startLifetime>;

/** Logs each SIGHUP if it does not mean the end of a terminal. Call it at the start, because the signal would end the process. */
export function reportHangups({ log }: OpenLog): void {
  if (findHangupAction() !== 'report') return;
  process.on('SIGHUP', () => {
    log.info(
      'SIGHUP is ignored: the server reads its settings at the start; restart it to change them',
    );
  });
}

/**
 * Waits for a stop signal and for the drain delay of load balancers, then for running requests. If the database breaks, it
 * sends the last responses and throws the reason.
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
      await unlessBroken(database, rest(drainSeconds * 1000));
    }
    log.info({ signal }, 'stopping');
  } catch (error) {
    log.fatal({ err: error }, 'the database can no longer be written');
    lifetime.stop();
    await server.stop(brokenDrainMilliseconds);
    throw error;
  }
  lifetime.stop();
  if (!(await server.stop(drainMilliseconds))) log.warn('requests were cut off at the deadline');
}

/**
 * Throws the reason if the database broke after the stop signal, at its last writes or when it was closed.
 */
export async function throwIfBroken({ broken }: Database, { log }: OpenLog): Promise<void> {
  const error = await Promise.race([broken, Promise.resolve()]);
  if (error === undefined) return;
  log.fatal({ err: error }, 'the database can no longer be written');
  throw error;
}

/** Ends the process in time even if something hangs, such as a disk that does not answer. */
function endInTime(output: OpenLog): void {
  after(stopMillisecondsMax, () => {
    if (output.isClosing) return;
    output.log.error('the database could not be closed in time');
    void endNow(output);
  });
}

/** Ends the process as soon as the log is written, or when its reader takes too long. */
async function endNow(output: OpenLog): Promise<void> {
  await output[Symbol.asyncDispose]();
  process.exit(1);
}

/** After the server has stopped: output that waits for a stopped reader must not keep the process alive. */
export function endWithoutReaders(): void {
  after(lastOutputMilliseconds, () => process.exit());
}

/** Waits for a promise, or throws when the database breaks. */
async function unlessBroken<Result>({ broken }: Database, wait: Promise<Result>): Promise<Result> {
  return await Promise.race([wait, broken.then((error) => Promise.reject(error))]);
}
