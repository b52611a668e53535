import { createContext } from '../../context/context.ts';
import type { ApiKeyUse, OperationCalls } from '../../domain/access/api-key.ts';
import type { SessionActivity } from '../../domain/access/console-session.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { CommandWriter } from '../../storage/contract/command-writer.ts';
import { DatabaseOutcomeUnknown } from '../../storage/contract/database-error.ts';
import type { Caller } from './caller.ts';

/** An owner has no key, so nothing is noted. */
type NotedCaller = Pick<Caller, 'apiKeyId' | 'workspaceId'>;

interface NotedUse {
  readonly apiKeyId: Int64;
  readonly workspaceId: Int64;
  lastUsedAt: number;
  readonly calls: Map<string, OperationCalls>;
}

const minute = 60_000;

/** In one transaction, during which a revocation of one of these keys waits. */
const writtenKeysMax = 500;

/** In one transaction. */
const writtenSessionsMax = 500;

/** Notes the use of keys in memory, so that no request waits for a write. `flush` writes them. */
export function createApiKeyUses(writer: CommandWriter) {
  let noted = new Map<Int64, NotedUse>();
  const activities = createSessionActivities(writer);

  function find(apiKeyId: Int64, workspaceId: Int64): NotedUse {
    let use = noted.get(apiKeyId);
    if (use === undefined) {
      use = { apiKeyId, workspaceId, lastUsedAt: 0, calls: new Map() };
      noted.set(apiKeyId, use);
    }
    return use;
  }

  function add({ calls }: NotedUse, { operationId, count, lastCalledAt }: OperationCalls): void {
    const before = calls.get(operationId);
    calls.set(operationId, {
      operationId,
      count: (before?.count ?? 0) + count,
      lastCalledAt: Math.max(before?.lastCalledAt ?? 0, lastCalledAt),
    });
  }

  /** Notes uses again that could not be written. */
  function noteAgain(uses: readonly ApiKeyUse[], withCalls: boolean): void {
    for (const { apiKeyId, workspaceId, lastUsedAt, deprecatedCalls } of uses) {
      const use = find(apiKeyId, workspaceId);
      use.lastUsedAt = Math.max(use.lastUsedAt, lastUsedAt);
      for (const calls of withCalls ? deprecatedCalls : []) add(use, calls);
    }
  }

  return {
    note({ apiKeyId, workspaceId }: NotedCaller, now: number): void {
      if (apiKeyId === undefined) return;
      const use = find(apiKeyId, workspaceId);
      use.lastUsedAt = Math.max(use.lastUsedAt, now - (now % minute));
    },
    noteDeprecatedCall(caller: NotedCaller, operationId: string, now: number): void {
      const { apiKeyId, workspaceId } = caller;
      if (apiKeyId === undefined) return;
      add(find(apiKeyId, workspaceId), { operationId, count: 1, lastCalledAt: now });
    },
    /** Starts the write at once, because another server could otherwise end the session in the next minute. */
    noteSessionActivity(activity: SessionActivity): void {
      activities.note(activity);
      // The next flush writes it if this one fails, and reports the error.
      activities.flush().catch(() => {});
    },
    async flush(): Promise<void> {
      await activities.flush();
      const flushed = [...noted.values()].map(
        ({ calls, ...use }): ApiKeyUse => ({ ...use, deprecatedCalls: [...calls.values()] }),
      );
      noted = new Map();
      for (let start = 0; start < flushed.length; start += writtenKeysMax) {
        const uses = flushed.slice(start, start + writtenKeysMax);
        try {
          await writer.write(flushContext(), 'saveApiKeyUses', { uses });
        } catch (error) {
          // Uses that were not written are noted again. Calls that may have been written are not counted twice.
          noteAgain(uses, !(error instanceof DatabaseOutcomeUnknown));
          noteAgain(flushed.slice(start + uses.length), true);
          throw error;
        }
      }
    },
  };
}

export type ApiKeyUses = ReturnType<typeof createApiKeyUses>;

/** Each step of a flush is a write of its own. */
const flushContext = () => createContext({ millisecondsMax: 5000 });

/** The last actions in sessions of the console, kept in memory until they are written, so that no request waits for it. */
function createSessionActivities(writer: CommandWriter) {
  const noted = new Map<string, SessionActivity>();
  let running: Promise<void> | undefined;

  function note(activity: SessionActivity): void {
    const known = noted.get(activity.digest);
    if (known === undefined || known.lastActiveAt < activity.lastActiveAt) {
      noted.set(activity.digest, activity);
    }
  }

  async function writeAll(): Promise<void> {
    while (noted.size > 0) {
      const activities = [...noted.values()].slice(0, writtenSessionsMax);
      for (const { digest } of activities) noted.delete(digest);
      try {
        await writer.write(flushContext(), 'saveSessionActivities', { activities });
      } catch (error) {
        activities.forEach(note);
        throw error;
      }
    }
  }

  return {
    note,
    /** Writes what was noted, also what is noted until it ends. */
    flush() {
      running ??= writeAll().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}
