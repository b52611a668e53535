import { type ApiKeyUse, type Database, DatabaseOutcomeUnknown } from '../domain/database.ts';
import type { Int64 } from '../domain/int64.ts';

/** Notes who called, in memory, so that no request waits for it; `flush` writes what came together. */
export interface ApiKeyUses {
  note(apiKeyId: Int64, now: number): void;
  noteDeprecatedCall(apiKeyId: Int64, operationId: string, now: number): void;
  flush(): Promise<void>;
}

interface Calls {
  readonly count: number;
  readonly lastCalledAt: number;
}

interface Noted {
  lastUsedAt: number;
  readonly calls: Map<string, Calls>;
}

type NotedUse = readonly [apiKeyId: Int64, noted: Noted];

function toUse([apiKeyId, { lastUsedAt, calls }]: NotedUse): ApiKeyUse {
  return {
    apiKeyId,
    lastUsedAt,
    deprecatedCalls: [...calls].map(([operationId, call]) => ({ operationId, ...call })),
  };
}

function add({ calls }: Noted, operationId: string, { count, lastCalledAt }: Calls): void {
  const before = calls.get(operationId);
  calls.set(operationId, {
    count: (before?.count ?? 0) + count,
    lastCalledAt: Math.max(before?.lastCalledAt ?? 0, lastCalledAt),
  });
}

const minute = 60_000;

/** In one transaction: whoever revokes one of these keys meanwhile waits for it. */
const writtenKeysMax = 500;

export function createApiKeyUses(database: Database): ApiKeyUses {
  let noted = new Map<Int64, Noted>();

  function find(apiKeyId: Int64): Noted {
    let use = noted.get(apiKeyId);
    if (use === undefined) {
      use = { lastUsedAt: 0, calls: new Map() };
      noted.set(apiKeyId, use);
    }
    return use;
  }

  /** What was to be written is noted again, beside what came since. */
  function takeBack(uses: readonly NotedUse[], withCalls: boolean): void {
    for (const [apiKeyId, { lastUsedAt, calls }] of uses) {
      const use = find(apiKeyId);
      use.lastUsedAt = Math.max(use.lastUsedAt, lastUsedAt);
      if (!withCalls) continue;
      for (const [operationId, call] of calls) add(use, operationId, call);
    }
  }

  return {
    note(apiKeyId, now) {
      const use = find(apiKeyId);
      use.lastUsedAt = Math.max(use.lastUsedAt, now - (now % minute));
    },
    noteDeprecatedCall(apiKeyId, operationId, now) {
      add(find(apiKeyId), operationId, { count: 1, lastCalledAt: now });
    },
    async flush() {
      const flushed = [...noted];
      noted = new Map();
      for (let start = 0; start < flushed.length; start += writtenKeysMax) {
        const slice = flushed.slice(start, start + writtenKeysMax);
        try {
          await database.write('recordApiKeyUses', { uses: slice.map(toUse) });
        } catch (error) {
          // What was not written is still to be told; what may have been is not counted twice.
          takeBack(slice, !(error instanceof DatabaseOutcomeUnknown));
          takeBack(flushed.slice(start + slice.length), true);
          throw error;
        }
      }
    },
  };
}
