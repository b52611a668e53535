import type { Outcome, Refused } from '../../domain/command.ts';
import type { Context } from '../../domain/values/context.ts';
import type { IdempotencyKey } from './idempotency-key.ts';
import type { Commands } from './reads-and-commands.ts';

export type CommandName = keyof Commands;
export type CommandInput<Name extends CommandName> = Commands[Name]['input'];
export type CommandOk<Name extends CommandName> = Commands[Name]['ok'];
export type CommandRefusal<Name extends CommandName> = Commands[Name]['refusal'];
export type CommandOutcome<Name extends CommandName> = Outcome<
  CommandOk<Name>,
  CommandRefusal<Name>
>;

/**
 * The outcome of a command under an `Idempotency-Key`. `replayed` is true if the command was done before under this key, and
 * `ok` is its result. `idempotency_key_reused` means that the key was used for another request.
 */
export type KeyedOutcome<Name extends CommandName> =
  | { readonly ok: CommandOk<Name>; readonly replayed: boolean }
  | Refused<CommandRefusal<Name> | 'idempotency_key_reused'>;

/** A command that waits to be run: plain data. */
export interface PendingCommand<Name extends CommandName = CommandName> {
  readonly name: Name;
  readonly input: CommandInput<Name>;
  /** The command runs at most once under this key. */
  readonly key: IdempotencyKey | undefined;
}

/** The result of one of several commands. `error` is a failure, not a refusal. */
export type GroupOutcome =
  | { readonly ok: unknown; readonly replayed?: boolean }
  | Refused<string>
  | { readonly error: unknown };

/**
 * Runs commands. A command returns when its changes are on disk. One that does not begin before the end of its call changes nothing, and
 * throws `CallEnded`.
 */
export interface CommandWriter {
  write<Name extends CommandName>(
    context: Context,
    name: Name,
    input: CommandInput<Name>,
  ): Promise<CommandOutcome<Name>>;
  /** Runs a command at most once under a key. The transaction of the command stores the key. */
  writeKeyed<Name extends CommandName>(
    context: Context,
    name: Name,
    input: CommandInput<Name>,
    key: IdempotencyKey,
  ): Promise<KeyedOutcome<Name>>;
  /**
   * Runs commands of one workspace in few transactions, each with its own outcome. Single commands wait for one such transaction at
   * most.
   */
  writeMany<Name extends CommandName>(
    context: Context,
    commands: readonly PendingCommand<Name>[],
  ): Promise<readonly ManyOutcome<Name>[]>;
}

/** The outcome of one of several commands. `replayed` is absent without a key. */
export type ManyOutcome<Name extends CommandName> =
  | { readonly ok: CommandOk<Name>; readonly replayed?: boolean }
  | Refused<CommandRefusal<Name> | 'idempotency_key_reused'>
  | { readonly error: unknown };
