import type {
  CommandInput,
  CommandName,
  CommandOutcome,
} from '../../domain/database/command-writer.ts';
import type { Transaction } from '../queryable.ts';

/** How a command is run: by itself, or together with others of its name and workspace that arrived with it, in order. */
export type CommandRunner<Name extends CommandName> =
  | { run(transaction: Transaction, input: CommandInput<Name>): Promise<CommandOutcome<Name>> }
  | {
      runMany(
        transaction: Transaction,
        inputs: readonly [CommandInput<Name>, ...CommandInput<Name>[]],
      ): Promise<readonly CommandOutcome<Name>[]>;
    };

export type CommandTable<Names extends CommandName> = {
  readonly [Name in Names]: CommandRunner<Name>;
};
