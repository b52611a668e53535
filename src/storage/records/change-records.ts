import type { CommandInput, CommandName, CommandOutcome } from '../../domain/database/commands.ts';
import { isMet, recordVersion } from '../../domain/database/precondition.ts';
import type { ChangedRecord } from '../../domain/record.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { sha256 } from '../copies/sha256.ts';
import type { EventKind, RecordChange } from '../feed/events.ts';
import type { Transaction } from '../queryable.ts';
import { lockWorkspace } from './changes.ts';

/** How records of one kind are read and stored. */
export interface RecordKind<Item> extends EventKind<Item> {
  /** Those of these records that are there. */
  read(
    transaction: Transaction,
    workspaceId: Int64,
    ids: readonly Int64[],
  ): Awaitable<readonly Item[]>;
  /** Stores changes of one workspace, in order. */
  store(
    transaction: Transaction,
    workspaceId: Int64,
    changes: readonly RecordChange<Item>[],
  ): Promise<unknown>;
}

/** What is to become of a command and, where it changes something, of its record. */
export interface Decision<Item, Outcome> {
  readonly outcome: Outcome;
  readonly change?: { readonly after: Item | undefined };
}

/** What a command does with a record that is as the client demands. */
export type RecordRules<Item, Input, Outcome> = {
  /** Where the workspace is gone. */
  readonly gone: Outcome;
} & (
  | {
      /** Where there is no such record. */
      readonly missing: Outcome;
      decide(item: Item, input: Input): Decision<Item, Outcome>;
    }
  | { decideAny(item: Item | undefined, input: Input): Decision<Item, Outcome> }
);

/** Commands that change one record each. */
type Changing = {
  [Name in CommandName]: CommandInput<Name> extends ChangedRecord ? Name : never;
}[CommandName];

/**
 * Runs commands that each change one record, in order. However many came together, each workspace is held once and its records
 * are read once: so that a burst of them keeps nobody else waiting for a row, whatever the way to the database costs.
 */
export async function changeRecords<Name extends Changing, Item extends { readonly id: Int64 }>(
  transaction: Transaction,
  inputs: readonly CommandInput<Name>[],
  kind: RecordKind<Item>,
  rules: RecordRules<Item, CommandInput<Name>, CommandOutcome<Name>>,
): Promise<readonly (CommandOutcome<Name> | typeof preconditionFailed)[]> {
  const workspaces = new Map<Int64, OpenWorkspace<Item>>();
  for (const [workspaceId, own] of Map.groupBy(inputs, (input) => input.workspaceId)) {
    const isThere = await lockWorkspace(transaction, workspaceId);
    const ids = [...new Set(own.map(({ id }) => id))];
    const items = isThere ? await kind.read(transaction, workspaceId, ids) : [];
    workspaces.set(workspaceId, {
      isThere,
      items: new Map(items.map((item) => [item.id, item])),
      changes: [],
    });
  }
  const outcomes = inputs.map((input) => {
    const { workspaceId, id, precondition } = input;
    const workspace = workspaces.get(workspaceId);
    if (workspace?.isThere !== true) return rules.gone;
    const before = workspace.items.get(id);
    if (before === undefined && 'missing' in rules) return rules.missing;
    const version = () => recordVersion(JSON.stringify(before && kind.toJson(before)), sha256);
    if (!isMet(precondition, before && version)) return preconditionFailed;
    const { outcome, change } = decide(rules, before, input);
    if (change !== undefined) {
      const { after } = change;
      workspace.changes.push({ before, after, origin: input.origin });
      if (after === undefined) workspace.items.delete(id);
      else workspace.items.set(id, after);
    }
    return outcome;
  });
  for (const [workspaceId, { changes }] of workspaces) {
    if (changes.length > 0) await kind.store(transaction, workspaceId, changes);
  }
  return outcomes;
}

function decide<Item, Input, Outcome>(
  rules: RecordRules<Item, Input, Outcome>,
  item: Item | undefined,
  input: Input,
): Decision<Item, Outcome> {
  if ('decideAny' in rules) return rules.decideAny(item, input);
  return item === undefined ? { outcome: rules.missing } : rules.decide(item, input);
}

interface OpenWorkspace<Item> {
  readonly isThere: boolean;
  readonly items: Map<Int64, Item>;
  readonly changes: RecordChange<Item>[];
}

const preconditionFailed = { refused: 'precondition_failed' } as const;
