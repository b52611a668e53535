import type { Environment } from '../domain/api-key.ts';
import type { CommandInput, CommandOutput } from '../domain/database.ts';
import type { Connection } from './connection.ts';

const claim = `
  UPDATE store SET environment = coalesce(environment, ?1)
  RETURNING environment`;

// SQLite writes nothing where a row stays what it was. A row that is added and taken away again changes nothing either,
// but its page is written. No key has the id -1.
const addRow = `
  INSERT INTO deprecated_calls (api_key_id, operation_id, call_count, last_called_at)
  VALUES (-1, '', 0, 0)`;

const deleteRow = `DELETE FROM deprecated_calls WHERE api_key_id = -1`;

/** The prepared writes; they run inside the writer's transaction. */
export function prepareStoreCommands(connection: Connection) {
  const take = connection.query<{ environment: Environment }, [Environment]>(claim);
  const add = connection.query<unknown, []>(addRow);
  const remove = connection.query<unknown, []>(deleteRow);
  return {
    touchStore(): null {
      add.run();
      remove.run();
      return null;
    },
    claimEnvironment({
      environment,
    }: CommandInput<'claimEnvironment'>): CommandOutput<'claimEnvironment'> {
      return take.get(environment)?.environment ?? environment;
    },
  };
}
