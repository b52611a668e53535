import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { escapeHidden } from '../domain/values/visible-text.ts';
import type { Config } from '../ops/config.ts';
import { openLog } from '../ops/log.ts';
import { writeStderrUnawaited } from '../ops/output.ts';
import { checkAddresses } from '../server/listen.ts';
import { addressesOf, runServer } from '../server/run-server.ts';
import type { serverSettings } from '../server/settings.ts';
import { endWithoutReaders, reportHangups } from '../server/stop.ts';
import { misused } from '../terminal/cli-failure.ts';
import { checkCurrentFolder } from '../terminal/current-folder.ts';
import { unknownVariables } from '../terminal/variables.ts';
import {
  databasePath,
  describeDatabase,
  durabilityOf,
  loadBackups,
  openServerDatabase,
  type serverDatabaseSettings,
} from './open-database.ts';

type ServeConfig = Config<(typeof serverDatabaseSettings | typeof serverSettings)[number]>;

/** Serves until the process receives a stop signal. `flags` are the settings that were given as flags. */
export async function serve(config: ServeConfig, flags: ReadonlySet<string>): Promise<void> {
  // Disposed of last, after the log.
  using _end = { [Symbol.dispose]: endWithoutReaders };
  const { backupFolder } = config;
  if (backupFolder !== undefined && config.database.engine !== 'sqlite') {
    throw misused('--backup-folder needs a SQLite database, and the data is in PostgreSQL');
  }
  if (config.readStandby && config.idlePolling > 0) {
    throw misused('--read-standby looks at PostgreSQL each second, so leave out --idle-polling');
  }
  if (backupFolder !== undefined) checkCurrentFolder(backupFolder);
  await using output = await openLog(config.logLevel, config.logFormat);
  reportHangups(output);
  const { log } = output;
  if (durabilityOf(config) === 'unchecked') {
    log.warn('durability is unchecked: PostgreSQL may lose committed data');
  }
  for (const line of unknownVariables()) log.warn(line);
  if (backupFolder !== undefined && config.metricsPort === undefined) {
    log.warn('--backup-folder has no effect without --metrics-port');
  }
  const location = await describeDatabase(config);
  const database = await openServerDatabase(config, {
    beforeChange: () => checkAddresses(addressesOf(config, flags)),
    // New data can mean that the operator lost the old data, or mistyped its path.
    onMade(wasEmptyFile) {
      const path = databasePath(config);
      if (wasEmptyFile) log.warn({ path }, 'created a new database in an existing empty file');
      else log.info({ path }, 'created a new database');
    },
    // From here on, only a restore leads back to the older version.
    onMigrated: (versions) =>
      log.warn(versions, 'migrated the data: older versions cannot use it any more'),
    // Standard error has the line if the log leaves it out.
    report(line) {
      if (log.isLevelEnabled('warn')) log.warn(line);
      else writeStderrUnawaited(`animal-store: ${escapeHidden(line)}\n`);
    },
  });
  await runServer({
    config,
    flags,
    output,
    database,
    location,
    async createNewestBackupRead({ createdAt }) {
      if (backupFolder === undefined) return undefined;
      // Not awaited, because a disk that does not answer must not delay the start.
      readdir(backupFolder).catch(({ message }: Error) =>
        log.warn(`the folder of --backup-folder cannot be read: ${message}`),
      );
      const backups = await loadBackups(config.database, '--backup-folder does not apply');
      return backups.createNewestBackupRead(resolve(backupFolder), createdAt, Date.now);
    },
  });
}
