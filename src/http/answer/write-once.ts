import type { Refused } from '../../domain/database/command.ts';
import type {
  CommandInput,
  CommandName,
  CommandWriter,
  KeyedOutcome,
} from '../../domain/database/command-writer.ts';
import type { IdempotencyKey } from '../../domain/database/idempotency-key.ts';
import type { Context } from '../../domain/values/context.ts';
import type { IdempotencyRefusal } from '../request/idempotency.ts';

/** Runs a command at most once for each key. */
export type WriteOnce = <Name extends CommandName>(
  context: Context,
  name: Name,
  input: CommandInput<Name>,
  key: IdempotencyKey,
) => Promise<KeyedOutcome<Name> | Refused<IdempotencyRefusal>>;

/**
 * The key and the result are stored in the transaction of the command. So a client that received no response can always retry. A
 * retry is refused while the first request still runs in this process.
 */
export function createWriteOnce(writer: CommandWriter): WriteOnce {
  const running = new Set<string>();
  return (context, name, input, key) => {
    const id = `${key.workspaceId} ${key.operationId} ${key.key}`;
    if (running.has(id)) return Promise.resolve({ refused: 'idempotency_in_progress' });
    running.add(id);
    return writer.writeKeyed(context, name, input, key).finally(() => void running.delete(id));
  };
}
