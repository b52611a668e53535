import { background } from '../../context/context.ts';
import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../storage/contract/database-error.ts';
import { statement } from '../../storage/statement.ts';
import type { Connections } from '../connections.ts';
import { sqlState } from '../driver-errors.ts';

const cure =
  'a synchronous standby that does not answer: start one, or remove it from synchronous_standby_names on the primary (docs/operations.md, When a standby is lost)';

/** A statement or a lock took too long. A commit that waits for its standby keeps its locks. */
const lateStates = new Set(['57014', '55P03']);

/** Every role sees the waits of its own sessions. */
const selectWaits = statement<{ count: bigint }>(
  "SELECT count(*) AS count FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()",
);

/** The error of a transaction, with what to do if it or another one waits for a standby. */
export async function explainWait({ reads }: Connections, error: unknown): Promise<unknown> {
  const isUnknown = error instanceof DatabaseOutcomeUnknown;
  if (isUnknown ? error.waitsForStandby : !lateStates.has(sqlState(error) ?? '')) return error;
  try {
    const [row] = await reads(background).all(selectWaits);
    if (row === undefined || row.count === 0n) return error;
  } catch {
    return error;
  }
  if (isUnknown) return unknownByStandby(error);
  const line = `Other writes wait for ${cure}`;
  return new DatabaseUnavailable(line, { cause: error, waitsForStandby: true });
}

/** PostgreSQL shows nothing of the commit before the wait ends. */
export function unknownByStandby(cause: unknown): DatabaseOutcomeUnknown {
  return new DatabaseOutcomeUnknown(`The commit waits for ${cure}`, {
    cause,
    waitsForStandby: true,
  });
}
