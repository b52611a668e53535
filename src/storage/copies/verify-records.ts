import { petStatuses } from '../../domain/pet.ts';
import { findAuditFaults, readAuditHead } from '../access/audit-trail.ts';
import {
  faultsMax,
  type StoredSummary,
  type Verification,
  type WorkspaceIds,
} from '../contract/verification.ts';
import { findEventFaults } from '../feed/event-faults.ts';
import type { Queryable } from '../queryable.ts';
import { counterFaults } from '../records/counters.ts';
import { orderFaults } from '../records/orders.ts';
import { findChangedRows } from '../records/row-digest.ts';
import { copiedTables, tables, workspaceTables } from '../schema/tables.ts';
import { type FaultStatement, statement } from '../statement.ts';

// `name` is in no index of PostgreSQL, so that this count reads the rows themselves.
const counts = petStatuses.map(
  (status) => `count(name) FILTER (WHERE status = '${status}') AS ${status}`,
);
const counted = (status: string) => `coalesce(counted.${status}, 0)`;
const isMiscounted = petStatuses.map((status) => `${status}_count <> ${counted(status)}`);

const workspaces = `
  SELECT name, next_pet_id AS "nextId", ${petStatuses.map(counted).join(' + ')} AS animals,
    CASE WHEN ${isMiscounted.join(' OR ')} THEN 1 ELSE 0 END AS "isMiscounted"
  FROM workspaces LEFT JOIN (
    SELECT workspace_id, ${counts.join(', ')} FROM pets GROUP BY workspace_id
  ) AS counted ON workspace_id = workspaces.id
  ORDER BY name`;

const selectWorkspaces = statement<WorkspaceIds & { readonly isMiscounted: number }>(workspaces, [
  'animals',
  'nextId',
  'isMiscounted',
]);

const countApiKeys = statement<{ count: number }>('SELECT count(*) AS count FROM api_keys', [
  'count',
]);

/** A summary of the data, and the workspaces with wrong counts. Every animal is read. */
async function summarise(queryable: Queryable) {
  const found = await queryable.all(selectWorkspaces);
  const [apiKeys] = await queryable.all(countApiKeys);
  const summary: StoredSummary = {
    animals: found.reduce((sum, { animals }) => sum + animals, 0),
    workspaces: found.map(({ name, animals, nextId }) => ({ name, animals, nextId })),
    apiKeys: apiKeys?.count ?? 0,
    audit: await readAuditHead(queryable),
  };
  const miscounted = found.filter(({ isMiscounted }) => isMiscounted === 1);
  return { summary, miscounted };
}

// Rows of local tables may outlive their workspace if an older program deleted it.
const checkedTables = workspaceTables.filter(
  (name) => copiedTables.includes(name) && tables[name].mayOutliveWorkspace !== true,
);

const strayFaults = checkedTables.map(
  (name): FaultStatement =>
    statement(`
      SELECT 'A row of ${name} belongs to a workspace that does not exist' AS fault
      WHERE EXISTS (SELECT 1 FROM (SELECT DISTINCT workspace_id FROM ${name}) AS used
        WHERE workspace_id NOT IN (SELECT id FROM workspaces))`),
);

/** What no digest and no other row repeats, so that a change is not found. Part of a sentence. */
export const unchecked =
  'answers stored under an Idempotency-Key, counts of deprecated calls, sign-ins to the console, records of imports, the status, position, ' +
  'retries and deliveries of webhooks, counters that are too high, the environment, and when keys and workspaces were created or last used';

/**
 * Checks counters, references, digests, the audit trail and the keys. `notedDigest` is the digest of an entry that the trail
 * must contain. Pages and indexes are checked by the engine.
 */
export async function verifyRecords(
  queryable: Queryable,
  notedDigest: string | undefined,
): Promise<Verification> {
  // This reads all animals, and throws first if they cannot be read.
  const { summary, miscounted } = await summarise(queryable);
  const select = async (statements: readonly FaultStatement[]) =>
    (await Promise.all(statements.map((each) => queryable.all(each))))
      .flat()
      .map(({ fault }) => fault);
  const faults = [
    ...(await select([...strayFaults, ...counterFaults])),
    ...miscounted.map(({ name }) => `Workspace ${name} counts other animals than it has`),
    ...(await findChangedRows(queryable)),
    ...(await select([orderFaults])),
    ...(await findEventFaults(queryable)),
    ...(await findAuditFaults(queryable, notedDigest)),
  ];
  return faults.length > 0 ? { faults: faults.slice(0, faultsMax) } : summary;
}
