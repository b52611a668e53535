import type { CommandInput, CommandName, CommandOutput } from '../domain/database.ts';
import { apiKeyCommands } from './api-keys.ts';
import { onceKeyCommands } from './once-keys.ts';
import { petCommands } from './pets.ts';
import type { Session } from './statement.ts';
import { storeCommands } from './store.ts';
import { workspaceCommands } from './workspaces.ts';

/** Runs commands of one name and, where they have one, of one workspace, in order. */
export type RunMany = (session: Session, inputs: readonly unknown[]) => Promise<unknown[]>;

type RunOne<Name extends CommandName> = (
  session: Session,
  input: CommandInput<Name>,
) => Promise<CommandOutput<Name>>;

/** Adding an animal is what happens all the time: many at once cost little more than one. */
const { createPet, ...otherPetCommands } = petCommands;

const single: { readonly [Name in Exclude<CommandName, 'createPet'>]: RunOne<Name> } = {
  ...otherPetCommands,
  ...workspaceCommands,
  ...apiKeyCommands,
  ...onceKeyCommands,
  ...storeCommands,
};

/** How commands of a name are run. */
export function runnerOf(name: CommandName): RunMany {
  if (name === 'createPet') return createPet as RunMany;
  const run = single[name] as (session: Session, input: unknown) => Promise<unknown>;
  return async (session, inputs) => {
    const outputs: unknown[] = [];
    for (const input of inputs) outputs.push(await run(session, input));
    return outputs;
  };
}
