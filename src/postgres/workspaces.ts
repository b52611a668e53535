import type { CommandInput, CommandOutput, WorkspaceSummary } from '../domain/database.ts';
import type { Int64 } from '../domain/int64.ts';
import {
  toWorkspace,
  toWorkspaceSummary,
  type WorkspaceRow,
  type WorkspaceSummaryRow,
} from '../domain/rows.ts';
import type { Workspace } from '../domain/workspace.ts';
import { holdAuditTrail, recordAudit } from './audit.ts';
import type { Connections } from './connection.ts';
import { translateError } from './errors.ts';
import { type Session, statement } from './statement.ts';
import { beginLongReads } from './transaction.ts';

const selectWorkspace = statement<WorkspaceRow>(`
  SELECT id, name, created_at AS "createdAt" FROM workspaces WHERE name = $1`);

const selectWorkspaces = statement<WorkspaceSummaryRow>(`
  SELECT id, name, created_at AS "createdAt",
    (SELECT count(*) FROM pets WHERE workspace_id = workspaces.id) AS "petCount",
    (SELECT count(*) FROM api_keys WHERE workspace_id = workspaces.id
      AND is_revoked = 0
      AND (revoked_at IS NULL OR revoked_at > $1)
      AND (expires_at IS NULL OR expires_at > $1)) AS "activeApiKeyCount"
  FROM workspaces WHERE $2::text IS NULL OR name = $2
  ORDER BY name COLLATE "C"`);

const selectRevision = statement<{ revision: bigint }>(`
  SELECT revision FROM workspaces WHERE id = $1`);

/** As long as counting all animals may take: a second or two for ten million. */
const countMillisecondsMax = 10 * 60_000;

/** The reads of workspaces. `now` tells which keys still count as active. */
export function createWorkspaceReads(connections: Connections, now: () => number) {
  const session = connections.reads;
  return {
    async findWorkspace(name: string): Promise<Workspace | undefined> {
      const { rows } = await session.run(selectWorkspace, [name]);
      return rows[0] && toWorkspace(rows[0]);
    },
    async readRevision(workspaceId: Int64): Promise<number> {
      const { rows } = await session.run(selectRevision, [workspaceId]);
      return Number(rows[0]?.revision ?? -1);
    },
    async listWorkspaces(name?: string): Promise<WorkspaceSummary[]> {
      const client = await connections.connect();
      try {
        const counting = await beginLongReads(client, countMillisecondsMax);
        const { rows } = await counting.run(selectWorkspaces, [now(), name ?? null]);
        return rows.map(toWorkspaceSummary);
      } catch (error) {
        throw translateError(error);
      } finally {
        await client.end();
      }
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

// Held first, so that those which another machine clears at this moment are not counted as the last ones. Chosen in a
// statement of their own: as a condition it may run once for each row, and choose others each time. No join: of a
// workspace that the planner knows nothing of, it would read all there is.
const deleteOnceKeys = statement(`
  WITH chosen AS MATERIALIZED (
    SELECT operation_id, key FROM once_keys
    WHERE workspace_id = $1 ORDER BY operation_id, key LIMIT $2 FOR UPDATE
  )
  DELETE FROM once_keys
  WHERE workspace_id = $1 AND (operation_id, key) IN (SELECT operation_id, key FROM chosen)`);

const raiseRevision = statement<{ name: string }>(`
  UPDATE workspaces SET revision = revision + 1 + floor(random() * 1000000)::bigint WHERE id = $1
  RETURNING name`);

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
    if (rows[0] === undefined) return 'name_taken';
    await recordAudit(session, {
      at: now,
      event: 'workspace_created',
      details: { workspace: name },
    });
    return toWorkspace(rows[0]);
  },
  async deleteWorkspaceStep(
    session: Session,
    { workspaceId, rowsMax, now }: CommandInput<'deleteWorkspaceStep'>,
  ): Promise<CommandOutput<'deleteWorkspaceStep'>> {
    await holdAuditTrail(session);
    // Holds the row of the workspace, so that nobody adds to what is deleted.
    const { rows } = await session.run(raiseRevision, [workspaceId]);
    const workspace = rows[0]?.name;
    if (workspace === undefined) return { petsDeleted: 0, gone: true };
    await session.run(holdApiKeys, [workspaceId]);
    await session.run(deleteCalls, [workspaceId]);
    const { count } = await session.run(deleteApiKeys, [workspaceId]);
    if (count > 0) {
      const details = { workspace, count };
      await recordAudit(session, { at: now, event: 'api_keys_deleted', details });
    }
    const { count: onceKeysDeleted } = await session.run(deleteOnceKeys, [workspaceId, rowsMax]);
    const { count: petsDeleted } = await session.run(deletePets, [workspaceId, rowsMax]);
    const gone = Math.max(onceKeysDeleted, petsDeleted) < rowsMax;
    if (gone) {
      await session.run(deleteWorkspace, [workspaceId]);
      await recordAudit(session, { at: now, event: 'workspace_deleted', details: { workspace } });
    }
    return { petsDeleted, gone };
  },
};
