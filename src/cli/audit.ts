import type { Command } from 'commander';
import type { AuditEntry } from '../domain/access/audit.ts';
import { addSettings, jsonOption, settingsOf } from '../terminal/command-line.ts';
import {
  addListOptions,
  type ListOptions,
  printPages,
  readBefore,
  readLimit,
} from '../terminal/list-pages.ts';
import { formatTime, jsonPrinter, tablePrinter } from '../terminal/print.ts';
import { databaseSettings, openReader } from './open-database.ts';

const headings = ['ENTRY', 'TIME', 'ACTOR', 'EVENT', 'DETAILS'];

export function addAuditCommand(program: Command): void {
  const command = program
    .command('audit')
    .description(
      'List changes to keys and workspaces, restores, migrations, and sign-ins to the console, newest first.',
    )
    .option('--before <entry>', 'only entries before this one')
    .addOption(jsonOption());
  addListOptions(command);
  addSettings(command, databaseSettings).action(
    async (options: ListOptions & { before?: string }) => {
      const faults: string[] = [];
      const limit = readLimit(options, faults);
      const before = readBefore(options.before, 'an entry', faults);
      await using reads = await openReader(settingsOf(command, databaseSettings, faults));
      const printer = options.json ? jsonPrinter(toJson) : tablePrinter(headings, toRow);
      await printPages(
        {
          async readPage(count, belowId) {
            const page = await reads.listAuditEntries({ limit: count, belowId });
            return { items: page.items, next: page.nextBelowId };
          },
          moreText: (id) => `There are older entries. Add --before ${id} to list them`,
        },
        printer,
        limit,
        before,
      );
    },
  );
}

function toJson(entry: AuditEntry) {
  return { ...entry, at: formatTime(entry.at), details: parseDetails(entry.details) };
}

function toRow({ id, at, actor, event, details }: AuditEntry): readonly string[] {
  return [String(id), formatTime(at), actor, event, detailsText(parseDetails(details))];
}

function parseDetails(details: string): Record<string, unknown> {
  return JSON.parse(details) as Record<string, unknown>;
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
