import type { CommandInput, CommandOutput, WorkspaceSummary } from '../domain/database.ts';
import type { Int64 } from '../domain/int64.ts';
import type { Workspace } from '../domain/workspace.ts';
import { type Session, statement } from './statement.ts';

interface WorkspaceRow {
  readonly id: Int64;
  readonly name: string;
  readonly createdAt: bigint;
}

interface SummaryRow extends WorkspaceRow {
  readonly petCount: bigint;
  readonly activeApiKeyCount: bigint;
}

const selectWorkspace = statement<WorkspaceRow>(`
  SELECT id, name, created_at AS "createdAt" FROM workspaces WHERE name = $1`);

const selectWorkspaces = statement<SummaryRow>(`
  SELECT id, name, created_at AS "createdAt",
    (SELECT count(*) FROM pets WHERE workspace_id = workspaces.id) AS "petCount",
    (SELECT count(*) FROM api_keys WHERE workspace_id = workspaces.id
      AND (revoked_at IS NULL OR revoked_at > $1)
      AND (expires_at IS NULL OR expires_at > $1)) AS "activeApiKeyCount"
  FROM workspaces ORDER BY name COLLATE "C"`);

const selectRevision = statement<{ revision: bigint }>(`
  SELECT revision FROM workspaces WHERE id = $1`);

function toWorkspace(row: WorkspaceRow): Workspace {
  return { id: row.id, name: row.name, createdAt: Number(row.createdAt) };
}

/** The reads of workspaces. `now` tells which keys still count as active. */
export function createWorkspaceReads(session: Session, now: () => number) {
  return {
    async findWorkspace(name: string): Promise<Workspace | undefined> {
      const { rows } = await session.run(selectWorkspace, [name]);
      return rows[0] && toWorkspace(rows[0]);
    },
    async readRevision(workspaceId: Int64): Promise<number> {
      const { rows } = await session.run(selectRevision, [workspaceId]);
      return Number(rows[0]?.revision ?? -1);
    },
    async listWorkspaces(): Promise<WorkspaceSummary[]> {
      const { rows } = await session.run(selectWorkspaces, [now()]);
      return rows.map((row) => ({
        ...toWorkspace(row),
        petCount: Number(row.petCount),
        activeApiKeyCount: Number(row.activeApiKeyCount),
      }));
    },
  };
}

// The row of the store is held from here on, so that two who ask for the same name do so one after the other.
const takeWorkspaceId = statement<{ id: Int64 }>(`
  UPDATE store SET next_workspace_id = next_workspace_id + 1
  RETURNING next_workspace_id - 1 AS id`);

const insertWorkspace = statement<WorkspaceRow>(`
  INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO NOTHING
  RETURNING id, name, created_at AS "createdAt"`);

// In the order in which uses are recorded, which so happens before or after.
const holdApiKeys = statement(
  'SELECT 1 FROM api_keys WHERE workspace_id = $1 ORDER BY id FOR UPDATE',
);

const deleteCalls = statement(`
  DELETE FROM deprecated_calls
  WHERE api_key_id IN (SELECT id FROM api_keys WHERE workspace_id = $1)`);

const deleteApiKeys = statement('DELETE FROM api_keys WHERE workspace_id = $1');

const deleteOnceKeys = statement('DELETE FROM once_keys WHERE workspace_id = $1');

const raiseRevision = statement(
  'UPDATE workspaces SET revision = revision + 1 + floor(random() * 1000000)::bigint WHERE id = $1',
);

const deletePets = statement(`
  DELETE FROM pets
  WHERE workspace_id = $1
    AND id IN (SELECT id FROM pets WHERE workspace_id = $1 ORDER BY id LIMIT $2)`);

const deleteWorkspace = statement('DELETE FROM workspaces WHERE id = $1');

/** The writes of workspaces; they run inside a transaction. */
export const workspaceCommands = {
  async createWorkspace(
    session: Session,
    { name, now }: CommandInput<'createWorkspace'>,
  ): Promise<CommandOutput<'createWorkspace'>> {
    const { rows: taken } = await session.run(takeWorkspaceId);
    const { rows } = await session.run(insertWorkspace, [taken[0]?.id, name, now]);
    return rows[0] === undefined ? 'name_taken' : toWorkspace(rows[0]);
  },
  async deleteWorkspaceStep(
    session: Session,
    { workspaceId, petsMax }: CommandInput<'deleteWorkspaceStep'>,
  ): Promise<CommandOutput<'deleteWorkspaceStep'>> {
    // Holds the row of the workspace first, so that nobody adds to what is deleted.
    await session.run(raiseRevision, [workspaceId]);
    await session.run(holdApiKeys, [workspaceId]);
    await session.run(deleteCalls, [workspaceId]);
    await session.run(deleteApiKeys, [workspaceId]);
    await session.run(deleteOnceKeys, [workspaceId]);
    const { count: petsDeleted } = await session.run(deletePets, [workspaceId, petsMax]);
    const gone = petsDeleted < petsMax;
    if (gone) await session.run(deleteWorkspace, [workspaceId]);
    return { petsDeleted, gone };
  },
};
