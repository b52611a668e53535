import type { CommandInput, CommandOutput, WorkspaceSummary } from '../domain/database.ts';
import type { Int64 } from '../domain/int64.ts';
import {
  toWorkspace,
  toWorkspaceSummary,
  type WorkspaceRow,
  type WorkspaceSummaryRow,
} from '../domain/rows.ts';
import type { Workspace } from '../domain/workspace.ts';
import { prepareAudit } from './audit.ts';
import type { Connection } from './connection.ts';

const selectWorkspace = `
  SELECT id, name, created_at AS createdAt FROM workspaces WHERE name = ?1`;

const selectWorkspaces = `
  SELECT id, name, created_at AS createdAt,
    (SELECT count(*) FROM pets WHERE workspace_id = workspaces.id) AS petCount,
    (SELECT count(*) FROM api_keys WHERE workspace_id = workspaces.id
      AND is_revoked = 0
      AND (revoked_at IS NULL OR revoked_at > ?1)
      AND (expires_at IS NULL OR expires_at > ?1)) AS activeApiKeyCount
  FROM workspaces WHERE ?2 IS NULL OR name = ?2
  ORDER BY name`;

const selectRevision = `SELECT revision FROM workspaces WHERE id = ?1`;

/** The prepared reads, on a connection of their own. `now` tells which keys still count as active. */
export function prepareWorkspaceReads(connection: Connection, now: () => number) {
  const one = connection.query<WorkspaceRow, [string]>(selectWorkspace);
  const revision = connection.query<{ revision: bigint }, [Int64]>(selectRevision);
  const all = connection.query<WorkspaceSummaryRow, [number, string | null]>(selectWorkspaces);
  return {
    findWorkspace(name: string): Workspace | undefined {
      const row = one.get(name);
      return row === null ? undefined : toWorkspace(row);
    },
    readRevision(workspaceId: Int64): number {
      return Number(revision.get(workspaceId)?.revision ?? -1);
    },
    listWorkspaces(name?: string): WorkspaceSummary[] {
      return all.all(now(), name ?? null).map(toWorkspaceSummary);
    },
  };
}

const insertWorkspace = `
  INSERT INTO workspaces (name, created_at) VALUES (?1, ?2)
  ON CONFLICT (name) DO NOTHING
  RETURNING id, name, created_at AS createdAt`;

const deleteCalls = `
  DELETE FROM deprecated_calls
  WHERE api_key_id IN (SELECT id FROM api_keys WHERE workspace_id = ?1)`;

const deleteApiKeys = `DELETE FROM api_keys WHERE workspace_id = ?1`;

const deleteOnceKeys = `
  DELETE FROM once_keys
  WHERE workspace_id = ?1 AND (operation_id, key) IN (
    SELECT operation_id, key FROM once_keys
    WHERE workspace_id = ?1 ORDER BY operation_id, key LIMIT ?2)`;

const raiseRevision = `
  UPDATE workspaces SET revision = revision + 1 WHERE id = ?1 RETURNING name`;

const deletePets = `
  DELETE FROM pets
  WHERE workspace_id = ?1
    AND id IN (SELECT id FROM pets WHERE workspace_id = ?1 ORDER BY id LIMIT ?2)`;

const deleteWorkspace = `DELETE FROM workspaces WHERE id = ?1`;

/** The prepared writes; they run inside the writer's transaction. */
export function prepareWorkspaceCommands(connection: Connection) {
  const insert = connection.query<WorkspaceRow, [string, number]>(insertWorkspace);
  const dropCalls = connection.query<unknown, [Int64]>(deleteCalls);
  const dropApiKeys = connection.query<unknown, [Int64]>(deleteApiKeys);
  const dropOnceKeys = connection.query<unknown, [Int64, number]>(deleteOnceKeys);
  const raise = connection.query<{ name: string }, [Int64]>(raiseRevision);
  const dropPets = connection.query<unknown, [Int64, number]>(deletePets);
  const drop = connection.query<unknown, [Int64]>(deleteWorkspace);
  const record = prepareAudit(connection);

  return {
    createWorkspace({
      name,
      now,
    }: CommandInput<'createWorkspace'>): CommandOutput<'createWorkspace'> {
      const row = insert.get(name, now);
      if (row === null) return 'name_taken';
      record({ at: now, event: 'workspace_created', details: { workspace: name } });
      return toWorkspace(row);
    },
    deleteWorkspaceStep({
      workspaceId,
      rowsMax,
      now,
    }: CommandInput<'deleteWorkspaceStep'>): CommandOutput<'deleteWorkspaceStep'> {
      const workspace = raise.get(workspaceId)?.name;
      if (workspace === undefined) return { petsDeleted: 0, gone: true };
      dropCalls.run(workspaceId);
      const count = dropApiKeys.run(workspaceId).changes;
      if (count > 0) record({ at: now, event: 'api_keys_deleted', details: { workspace, count } });
      const onceKeysDeleted = dropOnceKeys.run(workspaceId, rowsMax).changes;
      const petsDeleted = dropPets.run(workspaceId, rowsMax).changes;
      const gone = Math.max(onceKeysDeleted, petsDeleted) < rowsMax;
      if (gone) {
        drop.run(workspaceId);
        record({ at: now, event: 'workspace_deleted', details: { workspace } });
      }
      return { petsDeleted, gone };
    },
  };
}
