import type { ServerProcess } from '../support/server-process.ts';
import { type ClientAnswers, createAnswerLog } from './compare-answers.ts';
import { type Answer, addAnimal, request } from './requests.ts';

interface LoadOptions {
  readonly writersPerServer: number;
  readonly readersPerServer: number;
  /** Distinguishes the animals of this load from those of another one. */
  readonly namePrefix: string;
  /** Whether each animal is added under an `Idempotency-Key` made of its name. */
  readonly hasIdempotencyKeys?: boolean;
}

/** Clients that add and list animals without a pause. */
export interface Load extends ClientAnswers {
  /** Waits until each server has answered 201 to a write that began after `moment`. Returns the time of the last. */
  recovered(moment: number, millisecondsMax?: number): Promise<number>;
  /** Counts every later answer as unknown, because a machine without power could not have sent it. */
  distrustAnswers(): void;
  stop(): Promise<LoadReport>;
}

export interface LoadReport {
  readonly requests: number;
  /** Requests with another answer than 200 or 201. */
  readonly failed: number;
  readonly longestMilliseconds: number;
  /** Number of answers by HTTP status; 0 if the connection ended without an answer. */
  readonly statuses: Readonly<Record<number, number>>;
}

const recoveryMillisecondsMax = 20_000;

/** Starts a load on one server. */
export function startLoad(
  server: ServerProcess,
  writersPerServer: number,
  readersPerServer: number,
  namePrefix: string,
): Load {
  return startLoadOn([server], { writersPerServer, readersPerServer, namePrefix });
}

export function startLoadOn(servers: readonly ServerProcess[], options: LoadOptions): Load {
  const { writersPerServer, readersPerServer, namePrefix, hasIdempotencyKeys = false } = options;
  const log = createAnswerLog();
  const { acknowledged, unknown, refused } = log;
  const statuses: Record<number, number> = {};
  /** The latest 201 of each server. */
  const lastCreated = new Map<string, Answer<unknown>>();
  let requests = 0;
  let longestMilliseconds = 0;
  let running = true;
  let trusts = true;
  let names = 0;

  function count({ httpStatus, startedAt, endedAt }: Answer<unknown>): void {
    requests += 1;
    statuses[httpStatus] = (statuses[httpStatus] ?? 0) + 1;
    longestMilliseconds = Math.max(longestMilliseconds, endedAt - startedAt);
  }

  async function write(origin: string): Promise<void> {
    while (running) {
      names += 1;
      const name = `${namePrefix} ${names}`;
      const key = { 'idempotency-key': name.replaceAll(' ', '-') };
      const answer = await addAnimal(origin, name, hasIdempotencyKeys ? key : undefined);
      count(answer);
      if (!trusts) unknown.add(name);
      else log.add(name, answer);
      if (trusts && answer.httpStatus === 201) lastCreated.set(origin, answer);
      if (answer.httpStatus !== 201) await Bun.sleep(5);
    }
  }

  async function read(origin: string): Promise<void> {
    while (running) {
      const answer = await request(`${origin}/v1/pets?limit=5`);
      count(answer);
      await Bun.sleep(answer.httpStatus === 200 ? 1 : 5);
    }
  }

  const clients = servers.flatMap(({ origin }) => [
    ...Array.from({ length: writersPerServer }, () => write(origin)),
    ...Array.from({ length: readersPerServer }, () => read(origin)),
  ]);

  return {
    acknowledged,
    unknown,
    refused,
    async recovered(moment, millisecondsMax = recoveryMillisecondsMax) {
      const deadline = performance.now() + millisecondsMax;
      while (performance.now() < deadline) {
        const created = [...lastCreated.values()].filter(({ startedAt }) => startedAt > moment);
        if (created.length === servers.length) {
          return Math.max(...created.map(({ endedAt }) => endedAt));
        }
        await Bun.sleep(2);
      }
      return Number.POSITIVE_INFINITY;
    },
    distrustAnswers() {
      trusts = false;
    },
    async stop() {
      running = false;
      await Promise.all(clients);
      return {
        requests,
        failed: requests - (statuses[200] ?? 0) - (statuses[201] ?? 0),
        longestMilliseconds,
        statuses,
      };
    },
  };
}
