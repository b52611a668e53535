/** What one request of the load came to. */
interface Answered {
  readonly httpStatus: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface LoadOptions {
  /** Such as `http://127.0.0.1:40123`. */
  readonly origins: readonly string[];
  readonly apiKey: string;
  readonly writersPerServer: number;
  readonly readersPerServer: number;
  /** Sets the names of this load apart from those of another. */
  readonly namePrefix?: string;
  /** Whether each animal is added under an `Idempotency-Key`, made of its name. */
  readonly hasIdempotencyKeys?: boolean;
}

/** Clients that add animals and list them without pause, and remember what they were told. */
export interface Load {
  /** Name and id of each animal whose 201 was seen. */
  readonly acknowledged: ReadonlyMap<string, number>;
  /** Names of animals that may have been stored: 503 `outcome_unknown`, or no answer. */
  readonly unknown: ReadonlySet<string>;
  /** Names of animals that were refused, and so must not be there. */
  readonly refused: ReadonlySet<string>;
  /** Waits until every server has answered a write begun after `moment` with 201; returns when the last did. */
  recovered(moment: number): Promise<number>;
  /** What is answered from here on is not believed: with the power gone, nobody could have answered it. */
  disbelieve(): void;
  stop(): Promise<LoadReport>;
}

export interface LoadReport {
  readonly requests: number;
  readonly longestMilliseconds: number;
  /** When the last 201 came. */
  readonly lastCreatedAt: number;
  /** How many of each, by HTTP status; 0 for a connection that ended without an answer. */
  readonly statuses: Readonly<Record<number, number>>;
}

/** Longer than any request may take; one that reaches it counts as never answered. */
const patienceMilliseconds = 20_000;

export function startLoad(options: LoadOptions): Load {
  const { origins, apiKey, writersPerServer, readersPerServer, namePrefix = 'Pet' } = options;
  const { hasIdempotencyKeys = false } = options;
  const authorization = `Bearer ${apiKey}`;
  const acknowledged = new Map<string, number>();
  const unknown = new Set<string>();
  const refused = new Set<string>();
  const answers: Answered[] = [];
  /** Of each server, when the latest write that it acknowledged was begun and ended. */
  const lastCreated = new Map<string, Answered>();
  let running = true;
  let believing = true;
  let count = 0;

  async function send(url: string, init: RequestInit) {
    const startedAt = performance.now();
    let httpStatus = 0;
    let body: unknown;
    try {
      const signal = AbortSignal.timeout(patienceMilliseconds);
      const response = await fetch(url, { ...init, signal });
      httpStatus = response.status;
      body = await response.json();
    } catch {
      httpStatus = 0;
    }
    const answered: Answered = { httpStatus, startedAt, endedAt: performance.now() };
    answers.push(answered);
    return { answered, body: body as Record<string, unknown> | undefined };
  }

  async function write(origin: string): Promise<void> {
    while (running) {
      count += 1;
      const name = `${namePrefix} ${count}`;
      const { answered, body } = await send(`${origin}/v1/pets`, {
        method: 'POST',
        headers: {
          authorization,
          'content-type': 'application/json',
          ...(hasIdempotencyKeys ? { 'idempotency-key': name.replaceAll(' ', '-') } : {}),
        },
        body: JSON.stringify({ name, categoryId: 1 }),
      });
      if (!believing) {
        unknown.add(name);
      } else if (answered.httpStatus === 201) {
        acknowledged.set(name, Number(body?.id));
        lastCreated.set(origin, answered);
      } else if (answered.httpStatus === 0 || body?.code === 'outcome_unknown') {
        unknown.add(name);
      } else {
        refused.add(name);
      }
      if (answered.httpStatus !== 201) await Bun.sleep(5);
    }
  }

  async function read(origin: string): Promise<void> {
    while (running) {
      const { answered } = await send(`${origin}/v1/pets?limit=5`, { headers: { authorization } });
      await Bun.sleep(answered.httpStatus === 200 ? 1 : 5);
    }
  }

  const clients = origins.flatMap((origin) => [
    ...Array.from({ length: writersPerServer }, () => write(origin)),
    ...Array.from({ length: readersPerServer }, () => read(origin)),
  ]);

  return {
    acknowledged,
    unknown,
    refused,
    async recovered(moment) {
      const deadline = performance.now() + patienceMilliseconds;
      while (performance.now() < deadline) {
        const created = origins.map((origin) => lastCreated.get(origin));
        if (created.every((answer) => answer !== undefined && answer.startedAt > moment)) {
          return Math.max(...created.map((answer) => answer?.endedAt ?? 0));
        }
        await Bun.sleep(2);
      }
      return Number.POSITIVE_INFINITY;
    },
    disbelieve() {
      believing = false;
    },
    async stop() {
      running = false;
      await Promise.all(clients);
      const statuses: Record<number, number> = {};
      for (const { httpStatus } of answers) statuses[httpStatus] = (statuses[httpStatus] ?? 0) + 1;
      const times = answers.map(({ startedAt, endedAt }) => endedAt - startedAt);
      return {
        requests: answers.length,
        longestMilliseconds: times.reduce((longest, time) => Math.max(longest, time), 0),
        lastCreatedAt: Math.max(...[...lastCreated.values()].map(({ endedAt }) => endedAt)),
        statuses,
      };
    },
  };
}
