import type { CommandInput, CommandName, CommandOutcome } from '../contract/command-writer.ts';
import type { Transaction } from '../queryable.ts';

/** What the engines must know about a command besides its effect. */
interface CommandTraits {
  /** A caller has the same access before and after it: it changes no key, session or workspace, except its version and counts. */
  readonly keepsAccess?: boolean;
  /** It takes access away, so that nothing older may be read after it. An urgent one must also work on a full disk. */
  readonly removesAccess?: 'urgently' | 'in_steps';
  /** It adds to the audit trail and shares a group with others, so that the group locks the trail before any row of a workspace. */
  readonly locksAuditTrailFirst?: boolean;
}

/** How a command is run: by itself, or together with others of its name and workspace that arrived with it, in order. */
export type CommandRunner<Name extends CommandName> = CommandTraits &
  (
    | { run(transaction: Transaction, input: CommandInput<Name>): Promise<CommandOutcome<Name>> }
    | {
        runMany(
          transaction: Transaction,
          inputs: readonly [CommandInput<Name>, ...CommandInput<Name>[]],
        ): Promise<readonly CommandOutcome<Name>[]>;
      }
  );

export type CommandTable<Names extends CommandName> = {
  readonly [Name in Names]: CommandRunner<Name>;
};
