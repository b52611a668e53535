import type { Command } from 'commander';
import type { AuditEntry } from '../domain/access/audit.ts';
import type { Int64 } from '../domain/values/int64.ts';
import { readBefore } from '../terminal/list-pages.ts';
import { formatTime } from '../terminal/print.ts';
import { addListAction } from './list-command.ts';

export function addAuditCommand(program: Command): void {
  const command = program
    .command('audit')
    .description(
      'List changes to keys and workspaces, restores, migrations, and sign-ins to the console, newest first.',
    )
    .option('--before <entry>', 'only entries before this one');
  addListAction<{ before?: string }, AuditEntry, Int64>(command, (options, faults) => {
    const first = readBefore(options.before, 'an entry', faults);
    return (reads) => ({
      headings: ['ENTRY', 'TIME', 'ACTOR', 'EVENT', 'DETAILS'],
      toRow,
      toJson: (entry) => ({
        ...entry,
        at: formatTime(entry.at),
        details: Object.fromEntries(readDetails(entry)),
      }),
      first,
      async readPage(limit, belowId) {
        const page = await reads.listAuditEntries({ limit, belowId });
        return { items: page.items, next: page.nextBelowId };
      },
      moreText: (id) => `The list has older entries. Add --before ${id} to list them`,
    });
  });
}

/** Digests are left out, because only programs compare them. */
function toRow(entry: AuditEntry): readonly string[] {
  const details = readDetails(entry)
    .filter(([name, value]) => value !== null && name !== 'digest' && name !== 'sha256')
    .map(([name, value]) => `${name}=${name.endsWith('At') ? value : JSON.stringify(value)}`);
  const { id, at, actor, event } = entry;
  return [String(id), formatTime(at), actor, event, details.join(' ')];
}

/** The details with times as text. */
function readDetails({ details }: AuditEntry): readonly (readonly [string, unknown])[] {
  return Object.entries(JSON.parse(details) as object).map(([name, value]) => [
    name,
    typeof value === 'number' && name.endsWith('At') ? formatTime(value) : value,
  ]);
}
