import type { Environment } from '../domain/api-key.ts';
import type { CommandInput, CommandOutput } from '../domain/database.ts';
import { type Session, statement } from './statement.ts';

const claim = statement<{ environment: Environment }>(`
  UPDATE store SET environment = coalesce(environment, $1)
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
    return rows[0]?.environment ?? environment;
  },
};
