import type { Command } from 'commander';
import { addSettings, settingsOf } from '../../terminal/command-line.ts';
import { print } from '../../terminal/print.ts';
import { creatingSettings, migrateDatabase } from '../open-database.ts';

const help = `
Back up first: older versions cannot use migrated data. A server also migrates the data when it starts. Most other commands
reject data of an older version. On SQLite, stop the server first. On PostgreSQL, servers of the previous version keep
running until you replace them.

On PostgreSQL without tables, this command creates them. On SQLite, the file must exist, and --create-data has no effect.`;

export function addMigrateCommand(program: Command): void {
  const command = program
    .command('migrate')
    .description('Migrate data of an older version to the schema of this version.')
    .addHelpText('after', help);
  addSettings(command, creatingSettings).action(async () => {
    const { from, to } = await migrateDatabase(settingsOf(command, creatingSettings));
    print(describe(from, to));
  });
}

function describe(from: number, to: number): string {
  if (from === to) return `The data already has schema version ${to}.`;
  if (from === 0) return `Created the tables with schema version ${to}.`;
  return `Migrated the data from schema version ${from} to ${to}.`;
}
