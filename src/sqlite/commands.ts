import type { CommandInput, CommandName, CommandOutput } from '../domain/database.ts';
import { prepareApiKeyCommands } from './api-keys.ts';
import type { Connection } from './connection.ts';
import { prepareOnceKeyCommands } from './once-keys.ts';
import { preparePetCommands } from './pets.ts';
import { prepareStoreCommands } from './store.ts';
import { prepareWorkspaceCommands } from './workspaces.ts';

export type CommandTable = {
  readonly [Name in CommandName]: (input: CommandInput<Name>) => CommandOutput<Name>;
};

/** How many commands of one name run at once, where that is cheaper than one after another. */
export type BatchTable = {
  readonly [Name in CommandName]?: (
    inputs: readonly CommandInput<Name>[],
  ) => readonly CommandOutput<Name>[];
};

/** Every command of the domain, ready to run on one connection inside a transaction. */
export function prepareCommands(connection: Connection): {
  readonly commands: CommandTable;
  readonly batches: BatchTable;
} {
  const { createEach, ...petCommands } = preparePetCommands(connection);
  return {
    commands: {
      ...prepareStoreCommands(connection),
      ...petCommands,
      ...prepareWorkspaceCommands(connection),
      ...prepareApiKeyCommands(connection),
      ...prepareOnceKeyCommands(connection),
    },
    batches: { createPet: createEach },
  };
}
