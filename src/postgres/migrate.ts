import type { Client } from 'pg';
import { DatabaseUnusable } from '../domain/database.ts';
import { type OlderSchema, olderSchemaLine } from '../domain/older-schema.ts';
import { recordAudit } from './audit.ts';
import { schemaName } from './connection.ts';
import { readSystem, takeIdentity } from './identity.ts';
import initial from './migrations/0001-initial.sql' with { type: 'text' };
import auditTrail from './migrations/0002-audit-trail.sql' with { type: 'text' };
import revokedForGood from './migrations/0003-revoked-for-good.sql' with { type: 'text' };
import identity from './migrations/0004-identity.sql' with { type: 'text' };
import { sessionOf } from './transaction.ts';

/** In order; `store.schema_version` counts those applied. Released ones never change. */
const migrations: readonly string[] = [initial, auditTrail, revokedForGood, identity];

export const schemaVersion = migrations.length;

/** The first that tells which tables they are. Those of an earlier one are taken as they are found. */
const identitySchemaVersion = 4;

/** Which advisory lock is ours ("ANST"): any number of machines may start at once, and one migrates. */
const lockId = 0x414e5354;

/** As long as a migration of a large store may take, while the other machines wait for it. */
const migrationMillisecondsMax = 10 * 60_000;

/**
 * Brings a database to this program's schema in one transaction, or leaves it as it was. Returns the version that it had,
 * 0 where it was new.
 */
export async function migrate(client: Client, older: OlderSchema): Promise<number> {
  const found = await readVersion(client);
  // Most databases are as they should be: then nothing is locked, and nobody waited for.
  if (found === schemaVersion) return found;
  if (found > 0 && older === 'refused') {
    throw new DatabaseUnusable(olderSchemaLine('The database', found, schemaVersion));
  }
  const system = await readSystem(client);
  await query(client, 'BEGIN');
  await query(client, `SET LOCAL statement_timeout = ${migrationMillisecondsMax}`);
  await query(client, `SET LOCAL lock_timeout = ${migrationMillisecondsMax}`);
  await query(client, `SELECT pg_advisory_xact_lock(${lockId})`);
  const version = await readVersion(client);
  if (version < schemaVersion) {
    // Who owns the schema need not be allowed to make one, which even IF NOT EXISTS asks for.
    const { rows } = await client.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [
      schemaName,
    ]);
    if (rows.length === 0) await query(client, `CREATE SCHEMA ${schemaName}`);
    for (const migration of migrations.slice(version)) await query(client, migration);
    await query(client, `UPDATE store SET schema_version = ${schemaVersion}`);
    if (version < identitySchemaVersion) await takeIdentity(sessionOf(client), system);
    if (version > 0) await recordMigration(client, version);
  }
  await query(client, 'COMMIT');
  return version;
}

async function recordMigration(client: Client, from: number): Promise<void> {
  const { rows } = await client.query<{ id: bigint }>('SELECT next_api_key_id AS id FROM store');
  await recordAudit(sessionOf(client), {
    at: Date.now(),
    event: 'schema_migrated',
    details: { from, to: schemaVersion, nextApiKeyId: Number(rows[0]?.id ?? 1) },
  });
}

/** The schema version of a database that is new or ours; 0 where it is new. */
export async function readVersion(client: Client): Promise<number> {
  const { rows: tables } = await client.query<{ tables: bigint; isOurs: boolean }>(
    `SELECT count(*) AS tables, coalesce(bool_or(tablename = 'store'), false) AS "isOurs"
     FROM pg_tables WHERE schemaname = '${schemaName}'`,
  );
  if (tables[0] === undefined || tables[0].tables === 0n) return 0;
  if (!tables[0].isOurs) {
    throw new DatabaseUnusable(`The schema ${schemaName} of the database is another program’s`);
  }
  const { rows } = await client.query<{ version: number }>(
    'SELECT schema_version AS version FROM store',
  );
  const version = rows[0]?.version ?? 0;
  if (version > schemaVersion) {
    throw new DatabaseUnusable(
      `The database has schema version ${version}, and this program knows versions up to ${schemaVersion}: use the newer program that wrote it`,
    );
  }
  return version;
}

/** Longer than any other statement of this program may take. */
function query(client: Client, text: string): Promise<unknown> {
  const config = { text, query_timeout: migrationMillisecondsMax };
  return client.query(config);
}
