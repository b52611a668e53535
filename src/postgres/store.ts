import type { Environment } from '../domain/api-key.ts';
import { type CommandInput, type CommandOutput, DatabaseUnusable } from '../domain/database.ts';
import { unfinishedCopyLine } from './prepare-tables.ts';
import { type Session, statement } from './statement.ts';

// Not while a copy to here goes on that began since this process opened the database.
const claim = statement<{ environment: Environment }>(`
  UPDATE store SET environment = coalesce(environment, $1)
  WHERE unfinished_copy_of IS NULL
  RETURNING environment`);

// PostgreSQL writes a row anew even where it stays what it was.
const touch = statement('UPDATE store SET environment = environment');

/** The writes about the store as a whole; they run inside a transaction. */
export const storeCommands = {
  async touchStore(session: Session): Promise<null> {
    await session.run(touch);
    return null;
  },
  async claimEnvironment(
    session: Session,
    { environment }: CommandInput<'claimEnvironment'>,
  ): Promise<CommandOutput<'claimEnvironment'>> {
    const { rows } = await session.run(claim, [environment]);
    if (rows[0] === undefined) throw new DatabaseUnusable(unfinishedCopyLine);
    return rows[0].environment;
  },
};
