import type { Command } from 'commander';
import { background } from '../context/context.ts';
import type { AuditEntry } from '../domain/access/audit-entry.ts';
import type { Int64 } from '../domain/values/int64.ts';
import { optional } from '../terminal/command-line.ts';
import { formatTime } from '../terminal/print.ts';
import { addListAction, parseIdOf } from './list-command.ts';

export function addAuditCommand(program: Command): void {
  const command = program
    .command('audit')
    .description(
      'List changes to keys, webhooks and workspaces, restores, migrations, and sign-ins to the console, newest first.',
    )
    .option('--before <entry>', 'only entries before this one');
  const parsers = { before: optional(parseIdOf('an entry')) };
  addListAction(command, parsers, (reads, { before }) => ({
    headings: ['ENTRY', 'TIME', 'ACTOR', 'EVENT', 'DETAILS'],
    toRow,
    toJson: (entry: AuditEntry) => ({
      ...entry,
      at: formatTime(entry.at),
      details: Object.fromEntries(
        readDetails(entry).map(([name, value]) => [name, timeOf(name, value) ?? value]),
      ),
    }),
    first: before,
    async readPage(limit: number, afterId?: Int64) {
      const page = await reads.listAuditEntries(background, { limit, afterId });
      return { items: page.items, next: page.nextAfterId };
    },
    moreText: (id: Int64) => `The list has older entries. Add --before ${id} to list them`,
  }));
}

/** Digests are left out, because only programs compare them. */
function toRow(entry: AuditEntry): readonly string[] {
  const details = readDetails(entry)
    .filter(([name, value]) => value !== null && name !== 'digest' && name !== 'sha256')
    // Texts are quoted: those of a manifest can contain anything.
    .map(([name, value]) => `${name}=${timeOf(name, value) ?? JSON.stringify(value)}`);
  const { id, at, actor, event } = entry;
  return [String(id), formatTime(at), actor, event, details.join(' ')];
}

function readDetails({ details }: AuditEntry): readonly (readonly [string, unknown])[] {
  return Object.entries(JSON.parse(details));
}

/** A detail as a time, if it is one. */
function timeOf(name: string, value: unknown): string | undefined {
  return typeof value === 'number' && name.endsWith('At') ? formatTime(value) : undefined;
}
