import { resolve } from 'node:path';
import type { Command } from 'commander';
import { escapeHidden } from '../domain/values/visible-text.ts';
import type { Config } from '../ops/config.ts';
import { openLog } from '../ops/log.ts';
import { writeStderrUnawaited } from '../ops/output.ts';
import { checkAddresses } from '../server/listen.ts';
import { addressesOf, runServer, serverSettings } from '../server/run-server.ts';
import { endWithoutReaders } from '../server/stop.ts';
import { misused } from '../terminal/cli-failure.ts';
import { addSettings, settingsOf } from '../terminal/command-line.ts';
import {
  databasePath,
  describeDatabase,
  loadBackups,
  openServerDatabase,
  serverDatabaseSettings,
} from './open-database.ts';

const settingNames = [...serverDatabaseSettings, ...serverSettings] as const;

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .description(
      'Serve the catalogue over HTTP until the process receives SIGTERM, SIGINT or SIGHUP.',
    );
  addSettings(command, settingNames).action(() =>
    serve(settingsOf(command, settingNames), new Set(Object.keys(command.opts()))).finally(
      endWithoutReaders,
    ),
  );
}

async function serve(
  config: Config<(typeof settingNames)[number]>,
  flags: ReadonlySet<string>,
): Promise<void> {
  const { backupFolder } = config;
  if (backupFolder !== undefined && config.database.engine !== 'sqlite') {
    throw misused('--backup-folder needs a SQLite database, and the data is in PostgreSQL');
  }
  await using output = await openLog(config.logLevel, config.logFormat);
  const { log } = output;
  if (config.allowDataLoss) {
    log.warn('--allow-data-loss is on: PostgreSQL may lose committed data');
  }
  const location = await describeDatabase(config);
  const database = await openServerDatabase(config, {
    beforeChange: () => checkAddresses(addressesOf(config)),
    // New data can mean that the operator lost the old data, or mistyped its path.
    onMade(wasEmptyFile) {
      const path = databasePath(config);
      if (wasEmptyFile) log.warn({ path }, 'created a new database in an existing empty file');
      else log.info({ path }, 'created a new database');
    },
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
      const backups = await loadBackups(config.database, '--backup-folder does not apply');
      return backups.createNewestBackupRead(resolve(backupFolder), createdAt, Date.now);
    },
  });
}
