import type { ApiKeyUse } from '../../domain/access/api-key.ts';
import type { SessionActivity } from '../../domain/access/console.ts';
import type { CommandWriter } from '../../domain/database/commands.ts';
import { DatabaseOutcomeUnknown } from '../../domain/database/database-error.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { Caller } from './caller.ts';
import { createSessionActivities } from './session-activities.ts';

/** Notes the use of keys in memory, so that no request waits for a write. `flush` writes them. */
export interface ApiKeyUses {
  note(caller: NotedCaller, now: number): void;
  noteDeprecatedCall(caller: NotedCaller, operationId: string, now: number): void;
  /** Starts the write at once, because another server could otherwise end the session in the next minute. */
  noteSessionActivity(activity: SessionActivity): void;
  flush(): Promise<void>;
}

/** An owner has no key, so nothing is noted. */
type NotedCaller = Pick<Caller, 'apiKeyId' | 'workspaceId'>;

interface Calls {
  readonly count: number;
  readonly lastCalledAt: number;
}

interface Noted {
  readonly workspaceId: Int64;
  lastUsedAt: number;
  readonly calls: Map<string, Calls>;
}

type NotedUse = readonly [apiKeyId: Int64, noted: Noted];

function toUse([apiKeyId, { workspaceId, lastUsedAt, calls }]: NotedUse): ApiKeyUse {
  return {
    apiKeyId,
    workspaceId,
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

/** In one transaction, during which a revocation of one of these keys waits. */
const writtenKeysMax = 500;

export function createApiKeyUses(writer: CommandWriter): ApiKeyUses {
  let noted = new Map<Int64, Noted>();
  const activities = createSessionActivities(writer);

  function find(apiKeyId: Int64, workspaceId: Int64): Noted {
    let use = noted.get(apiKeyId);
    if (use === undefined) {
      use = { workspaceId, lastUsedAt: 0, calls: new Map() };
      noted.set(apiKeyId, use);
    }
    return use;
  }

  /** Notes uses again that could not be written. */
  function takeBack(uses: readonly NotedUse[], withCalls: boolean): void {
    for (const [apiKeyId, { workspaceId, lastUsedAt, calls }] of uses) {
      const use = find(apiKeyId, workspaceId);
      use.lastUsedAt = Math.max(use.lastUsedAt, lastUsedAt);
      if (!withCalls) continue;
      for (const [operationId, call] of calls) add(use, operationId, call);
    }
  }

  return {
    note({ apiKeyId, workspaceId }, now) {
      if (apiKeyId === undefined) return;
      const use = find(apiKeyId, workspaceId);
      use.lastUsedAt = Math.max(use.lastUsedAt, now - (now % minute));
    },
    noteDeprecatedCall({ apiKeyId, workspaceId }, operationId, now) {
      if (apiKeyId === undefined) return;
      add(find(apiKeyId, workspaceId), operationId, { count: 1, lastCalledAt: now });
    },
    noteSessionActivity(activity) {
      activities.note(activity);
      // The next flush writes it if this one fails, and reports the error.
      activities.flush().catch(() => {});
    },
    async flush() {
      await activities.flush();
      const flushed = [...noted];
      noted = new Map();
      for (let start = 0; start < flushed.length; start += writtenKeysMax) {
        const slice = flushed.slice(start, start + writtenKeysMax);
        try {
          await writer.write('recordApiKeyUses', { uses: slice.map(toUse) });
        } catch (error) {
          // Uses that were not written are noted again. Calls that may have been written are not counted twice.
          takeBack(slice, !(error instanceof DatabaseOutcomeUnknown));
          takeBack(flushed.slice(start + slice.length), true);
          throw error;
        }
      }
    },
  };
}
