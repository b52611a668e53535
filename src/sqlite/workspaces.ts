import type { CommandInput, CommandOutput, WorkspaceSummary } from '../domain/database.ts';
import type { Int64 } from '../domain/int64.ts';
import type { Workspace } from '../domain/workspace.ts';
import type { Connection } from './connection.ts';

interface WorkspaceRow {
  readonly id: Int64;
  readonly name: string;
  readonly createdAt: bigint;
}

interface SummaryRow extends WorkspaceRow {
  readonly petCount: bigint;
  readonly activeApiKeyCount: bigint;
}

const selectWorkspace = `
  SELECT id, name, created_at AS createdAt FROM workspaces WHERE name = ?1`;

const selectWorkspaces = `
  SELECT id, name, created_at AS createdAt,
    (SELECT count(*) FROM pets WHERE workspace_id = workspaces.id) AS petCount,
    (SELECT count(*) FROM api_keys WHERE workspace_id = workspaces.id
      AND (revoked_at IS NULL OR revoked_at > ?1)
      AND (expires_at IS NULL OR expires_at > ?1)) AS activeApiKeyCount
  FROM workspaces ORDER BY name`;

const selectRevision = `SELECT revision FROM workspaces WHERE id = ?1`;

function toWorkspace(row: WorkspaceRow): Workspace {
  return { id: row.id, name: row.name, createdAt: Number(row.createdAt) };
}

/** The prepared reads, on a connection of their own. `now` tells which keys still count as active. */
export function prepareWorkspaceReads(connection: Connection, now: () => number) {
  const one = connection.query<WorkspaceRow, [string]>(selectWorkspace);
  const revision = connection.query<{ revision: bigint }, [Int64]>(selectRevision);
  const all = connection.query<SummaryRow, [number]>(selectWorkspaces);
  return {
    findWorkspace(name: string): Workspace | undefined {
      const row = one.get(name);
      return row === null ? undefined : toWorkspace(row);
    },
    readRevision(workspaceId: Int64): number {
      return Number(revision.get(workspaceId)?.revision ?? -1);
    },
    listWorkspaces(): WorkspaceSummary[] {
      return all.all(now()).map((row) => ({
        ...toWorkspace(row),
        petCount: Number(row.petCount),
        activeApiKeyCount: Number(row.activeApiKeyCount),
      }));
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

const deleteOnceKeys = `DELETE FROM once_keys WHERE workspace_id = ?1`;

const raiseRevision = `UPDATE workspaces SET revision = revision + 1 WHERE id = ?1`;

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
  const dropOnceKeys = connection.query<unknown, [Int64]>(deleteOnceKeys);
  const raise = connection.query<unknown, [Int64]>(raiseRevision);
  const dropPets = connection.query<unknown, [Int64, number]>(deletePets);
  const drop = connection.query<unknown, [Int64]>(deleteWorkspace);

  return {
    createWorkspace({
      name,
      now,
    }: CommandInput<'createWorkspace'>): CommandOutput<'createWorkspace'> {
      const row = insert.get(name, now);
      return row === null ? 'name_taken' : toWorkspace(row);
    },
    deleteWorkspaceStep({
      workspaceId,
      petsMax,
    }: CommandInput<'deleteWorkspaceStep'>): CommandOutput<'deleteWorkspaceStep'> {
      dropCalls.run(workspaceId);
      dropApiKeys.run(workspaceId);
      dropOnceKeys.run(workspaceId);
      raise.run(workspaceId);
      const petsDeleted = dropPets.run(workspaceId, petsMax).changes;
      const gone = petsDeleted < petsMax;
      if (gone) drop.run(workspaceId);
      return { petsDeleted, gone };
    },
  };
}
