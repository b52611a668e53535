import type { Command } from 'commander';
import { addSettings, jsonOption, settingsOf } from './command-line.ts';
import { databaseSettings, openReader } from './open-database.ts';
import { formatTime, printJson, printTable } from './print.ts';

export function addAuditCommand(program: Command): void {
  const command = program
    .command('audit')
    .description('List changes to keys, workspaces, restores and migrations, oldest first.')
    .addOption(jsonOption());
  addSettings(command, databaseSettings).action(async (options: { json?: true }) => {
    await using reads = await openReader(settingsOf(command, databaseSettings));
    const entries = (await reads.listAuditEntries()).map((entry) => ({
      ...entry,
      at: formatTime(entry.at),
      details: JSON.parse(entry.details) as Record<string, unknown>,
    }));
    if (options.json) {
      printJson(entries);
      return;
    }
    printTable(
      ['ENTRY', 'TIME', 'ACTOR', 'EVENT', 'DETAILS'],
      entries.map(({ id, at, actor, event, details }) => [
        String(id),
        at,
        actor,
        event,
        detailsText(details),
      ]),
    );
  });
}

/** Without digests, which only a machine compares. */
function detailsText(details: Record<string, unknown>): string {
  return Object.entries(details)
    .filter(([name, value]) => value !== null && name !== 'digest' && name !== 'sha256')
    .map(([name, value]) => `${name}=${detailText(name, value)}`)
    .join(' ');
}

function detailText(name: string, value: unknown): string {
  return typeof value === 'number' && name.endsWith('At')
    ? formatTime(value)
    : JSON.stringify(value);
}
