import type { Environment } from '../domain/access/api-key.ts';
import { andThen } from '../domain/values/awaitable.ts';
import type { CommandTable } from './commands/command-table.ts';
import { DatabaseUnusable } from './contract/database-error.ts';
import type { MetaCommands, MetaReads } from './contract/meta.ts';
import type { Queryable } from './queryable.ts';
import { statement } from './statement.ts';
import type { Within } from './within.ts';

// Changes nothing if a copy to this data began after this process opened it.
const claim = statement<{ environment: Environment }>(`
  UPDATE meta SET environment = coalesce(environment, $1)
  WHERE unfinished_copy_of IS NULL
  RETURNING environment`);

// SQLite does not write a row that an UPDATE leaves as it was. It does write a row that is changed and changed back.
const raise = statement('UPDATE meta SET audit_count = audit_count + 1');
const lower = statement('UPDATE meta SET audit_count = audit_count - 1');

const selectMark = statement<{ mark: string | null }>(
  'SELECT unfinished_copy_of AS mark FROM meta',
);

/** The mark of an unfinished copy to this data. */
export async function readUnfinishedCopy(queryable: Queryable): Promise<string | undefined> {
  const [row] = await queryable.all(selectMark);
  return row?.mark ?? undefined;
}

const selectEnvironment = statement<{ environment: Environment | null }>(
  'SELECT environment FROM meta',
);

export function createMetaReads(within: Within): MetaReads {
  return {
    readEnvironment: (context) =>
      andThen(within(context).all(selectEnvironment), ([row]) => row?.environment ?? undefined),
  };
}

export function unfinishedCopyLine(name: string): string {
  return `${name} holds an unfinished copy: start the same copy again`;
}

export const metaCommands: CommandTable<keyof MetaCommands> = {
  claimEnvironment: {
    async run(transaction, { environment }) {
      const [claimed] = await transaction.all(claim, [environment]);
      if (claimed === undefined) throw new DatabaseUnusable(unfinishedCopyLine('The database'));
      return { ok: claimed.environment };
    },
  },
  touch: {
    keepsAccess: true,
    async run(transaction) {
      transaction.runDeferred(raise);
      transaction.runDeferred(lower);
      return { ok: null };
    },
  },
};
