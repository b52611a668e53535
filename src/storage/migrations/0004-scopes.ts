import type { Int64 } from '../../domain/int64.ts';
import { recordAudit } from '../audit.ts';
import type { Migration } from '../migration.ts';
import { statement } from '../statement.ts';

const before = 'pets:read pets:write';
const after = `${before} orders:read orders:write events:read`;

const selectKeys = statement<{ id: Int64; workspace: string }>(`
  SELECT api_keys.id, workspaces.name AS workspace
  FROM api_keys JOIN workspaces ON workspaces.id = workspace_id
  WHERE scopes = '${before}' AND is_revoked = 0 ORDER BY api_keys.id`);

const updateKeys = statement(
  `UPDATE api_keys SET scopes = '${after}' WHERE scopes = '${before}' AND is_revoked = 0`,
);

/** Keys that could do everything can do everything that a new key can. Those that were restricted stay so. */
export const scopes: Migration = {
  writerVersion: 3,
  sqlite: '',
  postgres: '',
  async run(transaction, now) {
    const keys = await transaction.all(selectKeys);
    await transaction.run(updateKeys);
    for (const { id, workspace } of keys) {
      const details = { apiKeyId: Number(id), workspace, scopes: after };
      await recordAudit(transaction, { at: now, event: 'api_key_scopes_changed', details });
    }
  },
};
