import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { owner, type PostgresServer, startPostgresServer } from './postgres-server.ts';

/** A second server that follows the first and confirms each of its commits. */
export async function startStandby(primary: PostgresServer): Promise<PostgresServer> {
  const folder = `${primary.folder}-standby`;
  const client = new Client({ connectionString: `${primary.url}/postgres` });
  await client.connect();
  // The backup ends with its session, which must stay open while files are copied.
  await client.query("SELECT pg_backup_start('standby', true)");
  cpSync(primary.folder, folder, {
    recursive: true,
    filter: (path) => !/postmaster\.(?:pid|opts)$|pg_wal\/./.test(path),
  });
  const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)');
  await client.end();
  writeFileSync(join(folder, 'backup_label'), rows[0].labelfile);
  writeFileSync(join(folder, 'standby.signal'), '');
  const { uid, gid } = owner();
  if (uid !== undefined) Bun.spawnSync(['chown', '-R', `${uid}:${gid}`, folder]);
  return await startPostgresServer({
    folder,
    flags: [`primary_conninfo=${primary.url}`, 'synchronous_standby_names='],
  });
}
