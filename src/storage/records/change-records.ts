import type { CommandInput, CommandName, CommandOutcome } from '../../domain/database/commands.ts';
import { isMet, recordVersion } from '../../domain/database/precondition.ts';
import type { WithOrigin } from '../../domain/event.ts';
import type { ChangedRecord } from '../../domain/record.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { sha256 } from '../copies/sha256.ts';
import type { Transaction } from '../queryable.ts';
import { lockWorkspace } from './change-workspace.ts';
import type { Members, RecordChange, Saved, SavedRecords } from './save.ts';

/** Saves changes of one workspace, in order. */
export type Save<Content extends Members, Removal extends undefined = undefined> = (
  transaction: Transaction,
  workspaceId: Int64,
  changes: readonly RecordChange<Content, Removal>[],
) => SavedRecords<Content, Removal>;

export const workspaceGone = { refused: 'no_such_workspace' } as const;

/** Creates a record for each command. Many at once cost little more than one, because they share one save. */
export function createEach<
  Input extends WithOrigin & { readonly workspaceId: Int64 },
  Content extends Members,
>(save: Save<Content>, toContent: (input: Input) => Content) {
  return {
    async runMany(transaction: Transaction, inputs: readonly [Input, ...Input[]]) {
      const [{ workspaceId }] = inputs;
      const saved = await save(
        transaction,
        workspaceId,
        inputs.map((input) => ({ after: toContent(input), origin: input.origin })),
      );
      return inputs.map((_, index) => {
        const ok = saved?.[index];
        return ok === undefined ? workspaceGone : { ok };
      });
    },
  };
}

/** How records of one kind are changed. */
export interface ChangeableKind<Item extends Members, Removal extends undefined> {
  readonly toJson: (item: Saved<Item>) => object;
  /** Reads those of these records that exist. */
  readonly read: (
    transaction: Transaction,
    workspaceId: Int64,
    ids: readonly Int64[],
  ) => Awaitable<readonly Saved<Item>[]>;
  readonly save: Save<Item, Removal>;
}

/** The outcome of a command and, if it changes its record, what the record becomes. */
export interface Decision<Item extends Members, Removal extends undefined, Outcome> {
  readonly outcome: Outcome;
  readonly change?: { readonly after: Saved<Item> | Removal };
}

/** What a command does with a record that meets its precondition. */
export type RecordRules<Item extends Members, Removal extends undefined, Input, Outcome> =
  | {
      /** The outcome if the record or its workspace does not exist. */
      readonly missing: Outcome;
      decide(item: Saved<Item>, input: Input): Decision<Item, Removal, Outcome>;
    }
  | {
      /** The outcome if the workspace does not exist. */
      readonly gone: Outcome;
      decideAny(item: Saved<Item> | undefined, input: Input): Decision<Item, Removal, Outcome>;
    };

/** The item with these members changed, or the same object if no member differs. A member without a value stays as it is. */
export function withChanges<Item extends object>(
  item: Item,
  changes: { readonly [Member in keyof Item]?: Item[Member] | undefined },
): Item {
  const old = new Map<string, unknown>(Object.entries(item));
  const changed = Object.entries(changes).filter(
    ([name, value]) => value !== undefined && value !== old.get(name),
  );
  return changed.length === 0 ? item : { ...item, ...Object.fromEntries(changed) };
}

/** Commands that change one record each. */
type Changing = {
  [Name in CommandName]: CommandInput<Name> extends ChangedRecord ? Name : never;
}[CommandName];

/**
 * Runs commands that each change one record, in order. A batch locks the workspace once and reads and saves its records once,
 * so that a burst of changes does not hold the lock for a round trip each.
 */
export function changeEach<
  Name extends Changing,
  Item extends Members,
  Removal extends undefined = undefined,
>(
  { toJson, read, save }: ChangeableKind<Item, Removal>,
  rules: RecordRules<Item, Removal, CommandInput<Name>, CommandOutcome<Name>>,
) {
  type Input = CommandInput<Name>;
  type Decided = Decision<Item, Removal, CommandOutcome<Name> | typeof preconditionFailed>;

  function decide(before: Saved<Item> | undefined, input: Input): Decided {
    if ('missing' in rules && before === undefined) return { outcome: rules.missing };
    const version = () => recordVersion(JSON.stringify(before && toJson(before)), sha256);
    if (!isMet(input.precondition, before && version)) return { outcome: preconditionFailed };
    if ('decideAny' in rules) return rules.decideAny(before, input);
    return before === undefined ? { outcome: rules.missing } : rules.decide(before, input);
  }

  return {
    async runMany(transaction: Transaction, inputs: readonly [Input, ...Input[]]) {
      const [{ workspaceId }] = inputs;
      if (!(await lockWorkspace(transaction, workspaceId))) {
        const gone = 'missing' in rules ? rules.missing : rules.gone;
        return inputs.map((): Decided['outcome'] => gone);
      }
      const ids = [...new Set(inputs.map(({ id }) => id))];
      const found = await read(transaction, workspaceId, ids);
      const items = new Map<Int64, Saved<Item> | Removal>(found.map((item) => [item.id, item]));
      const changes: RecordChange<Item, Removal>[] = [];
      const outcomes = inputs.map((input) => {
        const before = items.get(input.id);
        const { outcome, change } = decide(before, input);
        if (change !== undefined) {
          changes.push({ before, after: change.after, origin: input.origin });
          items.set(input.id, change.after);
        }
        return outcome;
      });
      if (changes.length > 0) await save(transaction, workspaceId, changes);
      return outcomes;
    },
  };
}

const preconditionFailed = { refused: 'precondition_failed' } as const;
