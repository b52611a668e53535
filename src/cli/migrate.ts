import type { Command } from 'commander';
import { addSettings, settingsOf } from './command-line.ts';
import { databaseSettings, migrateDatabase } from './open-database.ts';
import { print } from './print.ts';

const help = `
Older programs refuse the data from then on: back it up first. A server does the same when it starts; all other commands
refuse data that an older program wrote. On SQLite the server must be stopped. On PostgreSQL, servers of the version before
go on until they are replaced, and the tables are made in a database that has none.`;

export function addMigrateCommand(program: Command): void {
  const command = program
    .command('migrate')
    .description('Bring data that an older program wrote to the schema of this one.')
    .addHelpText('after', help);
  addSettings(command, databaseSettings).action(async () => {
    const { from, to } = await migrateDatabase(settingsOf(command, databaseSettings));
    print(describe(from, to));
  });
}

function describe(from: number, to: number): string {
  if (from === to) return `The data has schema version ${to} already: nothing was to do.`;
  if (from === 0) return `Made the tables, of schema version ${to}.`;
  return `Brought the data from schema version ${from} to version ${to}.`;
}
