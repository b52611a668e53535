import type { Environment } from '../domain/api-key.ts';
import type { CommandInput, CommandOutput } from '../domain/database.ts';
import type { Connection } from './connection.ts';

const claim = `
  UPDATE store SET environment = coalesce(environment, ?1)
  RETURNING environment`;

/** The prepared writes; they run inside the writer's transaction. */
export function prepareStoreCommands(connection: Connection) {
  const take = connection.query<{ environment: Environment }, [Environment]>(claim);
  return {
    claimEnvironment({
      environment,
    }: CommandInput<'claimEnvironment'>): CommandOutput<'claimEnvironment'> {
      return take.get(environment)?.environment ?? environment;
    },
  };
}
