import type {
  Workspace,
  WorkspaceCommands,
  WorkspaceReads,
  WorkspaceSummary,
} from '../../domain/access/workspace.ts';
import { type PetStatus, petStatuses, zeroCounts } from '../../domain/pet.ts';
import { andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { CommandTable } from '../commands/command-table.ts';
import type { Transaction } from '../queryable.ts';
import { cutPage } from '../records/pages.ts';
import { changeWorkspace } from '../records/workspace-row.ts';
import { type TableName, tables, workspaceTables } from '../schema/tables.ts';
import { deleteFirst, type Statement, statement } from '../statement.ts';
import type { Within } from '../within.ts';
import { isActiveApiKey } from './api-keys.ts';
import { addAuditEntry, lockAuditTrail } from './audit-trail.ts';

const columns = 'id, name, created_at AS "createdAt"';

const selectWorkspace = statement<Workspace>(`SELECT ${columns} FROM workspaces WHERE name = $1`, [
  'createdAt',
]);

const summaries = (from: string) => `
  SELECT ${columns},
    ${petStatuses.map((status) => `${status}_count`).join(' + ')} AS "petCount",
    (SELECT count(*) FROM api_keys
      WHERE workspace_id = workspaces.id AND ${isActiveApiKey}) AS "activeApiKeyCount"
  FROM ${from}`;

const plainColumns = ['createdAt', 'petCount', 'activeApiKeyCount'] as const;

const selectSummary = statement<WorkspaceSummary>(
  summaries('workspaces WHERE name = $2'),
  plainColumns,
);

// Only the keys of the page are counted.
export const selectSummaries = statement<WorkspaceSummary>(
  summaries(`(SELECT * FROM workspaces WHERE name > $2 ORDER BY name LIMIT $3) AS workspaces
  ORDER BY name`),
  plainColumns,
);

export const selectNames = statement<Pick<Workspace, 'name'>>(
  'SELECT name FROM workspaces WHERE name >= $1 AND name < $2 ORDER BY name LIMIT $3',
);

/** Sorts after every character of a name. */
const afterNames = '{';

const selectVersion = statement<{ version: number }>(
  'SELECT version FROM workspaces WHERE id = $1',
  ['version'],
);

export function createWorkspaceReads(within: Within): WorkspaceReads {
  return {
    findWorkspace: (context, name) =>
      andThen(within(context).all(selectWorkspace, [name]), ([workspace]) => workspace),
    readWorkspaceVersion: (context, id) =>
      andThen(within(context).all(selectVersion, [id]), ([row]) => row?.version ?? -1),
    findWorkspaceSummary: (context, name, now) =>
      andThen(within(context).all(selectSummary, [now, name]), ([found]) => found),
    listWorkspaces: (context, { limit, afterName = '' }, now) =>
      andThen(within(context).all(selectSummaries, [now, afterName, limit + 1]), (rows) =>
        cutPage(rows, limit),
      ),
    listWorkspaceNames: (context, prefix, limit) =>
      andThen(within(context).all(selectNames, [prefix, prefix + afterNames, limit]), (rows) =>
        rows.map(({ name }) => name),
      ),
  };
}

const insertWorkspace = statement<Workspace>(
  `INSERT INTO workspaces (id, name, version, created_at)
  SELECT next_workspace_id, $1, 0, $2 FROM meta WHERE true
  ON CONFLICT (name) DO NOTHING
  RETURNING ${columns}`,
  ['createdAt'],
);

const countId = statement('UPDATE meta SET next_workspace_id = next_workspace_id + 1');

const lockApiKeys = statement(
  'SELECT id FROM api_keys WHERE workspace_id = $1 ORDER BY id FOR UPDATE',
);
const deleteApiKeys = statement('DELETE FROM api_keys WHERE workspace_id = $1');
// Before its other rows: a server that acquires a webhook does not lock the workspace.
const deleteWebhooks = statement('DELETE FROM webhooks WHERE workspace_id = $1');
const deleteWorkspace = statement('DELETE FROM workspaces WHERE id = $1');

/** Statements that delete rows of a workspace. Keys, webhooks and animals have their own. */
const deleteOthers = workspaceTables
  .filter((name) => name !== 'api_keys' && name !== 'webhooks' && name !== 'pets')
  .map((name) => deleteRowsOf(name));

const deleteCountedPets = deleteRowsOf<{ status: PetStatus }>('pets', 'RETURNING status');

async function deletePets(transaction: Transaction, id: Int64, rowsMax: number): Promise<number> {
  const counts = zeroCounts();
  const pets = await transaction.all(deleteCountedPets, [id, rowsMax]);
  for (const { status } of pets) counts[status] -= 1;
  if (pets.length > 0) await changeWorkspace(transaction, id, { counts });
  return pets.length;
}

/**
 * Deletes a number of rows of a workspace. They are locked first, so that rows which another server deletes now are not counted.
 * No transaction changes them until then, because every change locks the row of the workspace or of its keys.
 */
function deleteRowsOf<Row extends object = never>(name: TableName, returning = ''): Statement<Row> {
  const order = tables[name].key.join(', ');
  return deleteFirst(name, 'workspace_id = $1', order, { returning });
}

export const workspaceCommands: CommandTable<keyof WorkspaceCommands> = {
  createWorkspace: {
    async run(transaction, { name, now }) {
      // Two commands for the same name run one after the other.
      await lockAuditTrail(transaction);
      const [made] = await transaction.all(insertWorkspace, [name, now]);
      if (made === undefined) return { refused: 'name_taken' };
      transaction.runDeferred(countId);
      await addAuditEntry(transaction, now, 'workspace_created', { workspace: name });
      return { ok: made };
    },
  },
  deleteWorkspaceStep: {
    removesAccess: 'in_steps',
    async run(transaction, { id, rowsMax, now }) {
      await lockAuditTrail(transaction);
      const workspace = (await changeWorkspace(transaction, id))?.name;
      if (workspace === undefined) return { ok: { petsDeleted: 0, gone: true } };
      // Waits for a transaction that records uses of the keys, so that the statements below see its rows.
      await transaction.all(lockApiKeys, [id]);
      const count = await transaction.run(deleteApiKeys, [id]);
      if (count > 0) {
        await addAuditEntry(transaction, now, 'api_keys_deleted', { workspace, count });
      }
      await transaction.run(deleteWebhooks, [id]);
      let gone = true;
      for (const deleteRows of deleteOthers) {
        gone = (await transaction.run(deleteRows, [id, rowsMax])) < rowsMax && gone;
      }
      // Animals are deleted last, so that no open order is left without its animal.
      const petsDeleted = gone ? await deletePets(transaction, id, rowsMax) : 0;
      gone &&= petsDeleted < rowsMax;
      if (gone) {
        transaction.runDeferred(deleteWorkspace, [id]);
        await addAuditEntry(transaction, now, 'workspace_deleted', { workspace });
      }
      return { ok: { petsDeleted, gone } };
    },
  },
};
