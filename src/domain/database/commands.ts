import type { ApiKeyCommands } from '../access/api-key.ts';
import type { ConsoleCommands } from '../access/console.ts';
import type { WorkspaceCommands } from '../access/workspace.ts';
import type { CategoryCommands } from '../category.ts';
import type { EventCommands } from '../event.ts';
import type { OrderCommands } from '../order.ts';
import type { PetCommands } from '../pet.ts';
import type { Outcome, Refused } from './command.ts';
import type { IdempotencyCommands, IdempotencyKey } from './idempotency.ts';
import type { MetaCommands } from './meta.ts';

/**
 * Everything that can be written. Each is all or nothing. Those that change a key or a workspace, or sign in
 * to the console, add to the audit trail.
 */
export interface Commands
  extends PetCommands,
    CategoryCommands,
    OrderCommands,
    EventCommands,
    WorkspaceCommands,
    ApiKeyCommands,
    ConsoleCommands,
    IdempotencyCommands,
    MetaCommands {}

export type CommandName = keyof Commands;
export type CommandInput<Name extends CommandName> = Commands[Name]['input'];
export type CommandOk<Name extends CommandName> = Commands[Name]['ok'];
export type CommandRefusal<Name extends CommandName> = Commands[Name]['refusal'];
export type CommandOutcome<Name extends CommandName> = Outcome<
  CommandOk<Name>,
  CommandRefusal<Name>
>;

/**
 * Of a command under an `Idempotency-Key`: `replayed` tells that it was done before under this key, and this is what it gave
 * then; `idempotency_key_reused` that the key was used for something else.
 */
export type KeyedOutcome<Name extends CommandName> =
  | { readonly ok: CommandOk<Name>; readonly replayed: boolean }
  | Refused<CommandRefusal<Name> | 'idempotency_key_reused'>;

/** Runs commands, each alone or beside others, and returns once what it did is on disk. */
export interface CommandWriter {
  write<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
  ): Promise<CommandOutcome<Name>>;
  /** The same, done at most once under a key, which is stored in the command's own transaction. */
  writeKeyed<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    key: IdempotencyKey,
  ): Promise<KeyedOutcome<Name>>;
}
