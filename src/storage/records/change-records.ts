import type { Refused } from '../../domain/command.ts';
import { isMet, recordVersion } from '../../domain/precondition.ts';
import type { ChangeInput, RecordInput } from '../../domain/record.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type {
  CommandInput,
  CommandName,
  CommandOk,
  CommandRefusal,
} from '../contract/command-writer.ts';
import type { Transaction } from '../queryable.ts';
import { sha256 } from '../sha256.ts';
import type { RecordChange, RecordKind, StoredRecord } from './record-kind.ts';
import { saveRecords } from './save.ts';
import { lockWorkspace } from './workspace-row.ts';

export const noSuchWorkspace = { refused: 'no_such_workspace' } as const;

/** Creates a record for each command. Many at once cost little more than one, because they share one save. */
export function createEach<Input extends RecordInput, Item extends StoredRecord>(
  kind: RecordKind<Item>,
  toItem: (input: Input) => Item,
  save: typeof saveRecords<Item> = saveRecords,
) {
  return {
    keepsAccess: true,
    async runMany(transaction: Transaction, inputs: readonly [Input, ...Input[]]) {
      const changes = inputs.map((input) => ({ after: toItem(input), origin: input.origin }));
      const saved = await save(transaction, inputs[0].workspaceId, kind, changes);
      return inputs.map((_, index) => {
        const ok = saved?.[index];
        return ok === undefined ? noSuchWorkspace : { ok };
      });
    },
  };
}

/**
 * Why a command is refused, or its result and the record afterwards. `after` is the same object if the command changes nothing,
 * and undefined if it removes the record.
 */
export type Decision<Name extends CommandName, Item> =
  | Refused<CommandRefusal<Name>>
  | { readonly ok: CommandOk<Name>; readonly after: Item | undefined };

/** What a command does with a record that meets its precondition. */
interface ChangeRules<Name extends CommandName, Item> {
  /** The refusal if the record or its workspace does not exist. */
  readonly missing: CommandRefusal<Name>;
  /** Creates a record that does not exist. */
  create?(input: CommandInput<Name>): Decision<Name, Item>;
  decide(item: Item, input: CommandInput<Name>): Decision<Name, Item>;
}

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
  [Name in CommandName]: CommandInput<Name> extends ChangeInput ? Name : never;
}[CommandName];

/**
 * Runs commands that each change one record, in order. A batch locks the workspace once and reads and saves its records once,
 * so that a burst of changes does not hold the lock for a round trip each.
 */
export function changeEach<Name extends Changing, Item extends StoredRecord>(
  kind: RecordKind<Item>,
  { missing, create, decide }: ChangeRules<Name, Item>,
) {
  type Input = CommandInput<Name>;
  const { toJson, readToChange = kind.readByIds, findCaused } = kind;

  function decideIfMet(before: Item | undefined, input: Input) {
    const decideHere = before === undefined ? create : (of: Input) => decide(before, of);
    if (decideHere === undefined) return { refused: missing };
    const version = before && (() => recordVersion(JSON.stringify(toJson(before)), sha256));
    const isAllowed = isMet(input.precondition, version);
    return isAllowed ? decideHere(input) : ({ refused: 'precondition_failed' } as const);
  }

  return {
    keepsAccess: true,
    async runMany(transaction: Transaction, inputs: readonly [Input, ...Input[]]) {
      const [{ workspaceId }] = inputs;
      if (!(await lockWorkspace(transaction, workspaceId))) {
        return inputs.map(() => ({ refused: missing }));
      }
      const ids = [...new Set(inputs.map(({ id }) => id))];
      const found = await readToChange(transaction, workspaceId, ids);
      const items = new Map<Int64, Item | undefined>(found.map((item) => [item.id, item]));
      const changes: RecordChange<Item>[] = [];
      const outcomes = inputs.map((input) => {
        const before = items.get(input.id);
        const decision = decideIfMet(before, input);
        if ('refused' in decision) return decision;
        const { ok, after } = decision;
        if (after !== before) {
          changes.push({ before, after, origin: input.origin });
          items.set(input.id, after);
        }
        return { ok };
      });
      if (changes.length > 0) {
        const caused = await findCaused?.(transaction, workspaceId, changes);
        await saveRecords(transaction, workspaceId, kind, changes, { caused });
      }
      return outcomes;
    },
  };
}
