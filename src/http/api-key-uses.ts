import type { ApiKeyUse, Database } from '../domain/database.ts';
import type { Int64 } from '../domain/int64.ts';

/** Notes who called, in memory, so that no request waits for it; `flush` writes what came together. */
export interface ApiKeyUses {
  note(apiKeyId: Int64, now: number): void;
  noteDeprecatedCall(apiKeyId: Int64, operationId: string, now: number): void;
  flush(): Promise<void>;
}

interface Noted {
  lastUsedAt: number;
  readonly calls: Map<string, { count: number; lastCalledAt: number }>;
}

const minute = 60_000;

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

  return {
    note(apiKeyId, now) {
      find(apiKeyId).lastUsedAt = now - (now % minute);
    },
    noteDeprecatedCall(apiKeyId, operationId, now) {
      const { calls } = find(apiKeyId);
      calls.set(operationId, {
        count: (calls.get(operationId)?.count ?? 0) + 1,
        lastCalledAt: now,
      });
    },
    async flush() {
      if (noted.size === 0) return;
      const uses: ApiKeyUse[] = [...noted].map(([apiKeyId, { lastUsedAt, calls }]) => ({
        apiKeyId,
        lastUsedAt,
        deprecatedCalls: [...calls].map(([operationId, call]) => ({ operationId, ...call })),
      }));
      noted = new Map();
      await database.write('recordApiKeyUses', { uses });
    },
  };
}
