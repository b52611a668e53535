import type { Command } from 'commander';
import { pluralize } from '../../domain/values/pluralize.ts';
import { textIf } from '../../ops/setting-values.ts';
import { CliFailure } from '../../terminal/cli-failure.ts';
import { addSettings, optional, settingsOf } from '../../terminal/command-line.ts';
import { print, printJson, printTable } from '../../terminal/print.ts';
import { startWait } from '../../terminal/progress.ts';
import { verifyBackupFile, verifyDatabase } from '../open-database.ts';

const help = `
Without FILE, the command checks the data of --database. On SQLite, that is every page, index, reference, table definition and
trigger. A trigger that was added is damage; tables, views and indexes of other programs are named and not checked.
On PostgreSQL, it is every record and reference; use pg_amcheck and pg_checksums for pages and indexes. On both, the command
checks that no id can be assigned twice, that animals, orders and counts agree, that no event or category was changed, that no
event is missing, that the audit trail is complete, and that the keys match it.

FILE is a backup of this or an earlier version. The command compares it with its manifest FILE.json, and then checks it in the
same way. It writes nothing. FILE can also be a copy or a snapshot of a data file, without a manifest. If FILE-wal is beside it,
it is read too, and SQLite may add FILE-shm.

Exit codes: 0 no damage found; 1 damage found, or the data could not be read; 2 invalid command line.`;

const backupAdvice = 'Do not restore this backup: use another copy of it, or an earlier backup';

/** The same advice for both engines. */
const damageAdvice = 'Stop all servers and restore the last good backup: see docs/operations.md';

const parsers = {
  auditDigest: optional((text) =>
    textIf(/^[0-9a-f]{64}$/.test(text), text, '64 hexadecimal digits'),
  ),
};

export function addVerifyCommand(program: Command): void {
  const command = program
    .command('verify')
    .argument('[file]', 'a backup or a data file to check instead of the data of --database')
    .description('Check all data for damage while servers run, or check a backup.')
    .option(
      '--audit-digest <sha256>',
      'fail if the audit trail has no entry with this digest, noted from an earlier run',
    )
    .option('--json', 'print JSON, also of damaged records')
    .addHelpText('after', help);
  const run = async (file: string | undefined, { json }: { json?: true }) => {
    const { found: result, notes, hasManifest } = await verify(command, file);
    if (json) printJson({ isSound: !('faults' in result), hasManifest, ...result, notes });
    if ('faults' in result) {
      const advice = file === undefined ? damageAdvice : backupAdvice;
      throw new CliFailure([...result.faults, advice]);
    }
    if (json) return;
    printTable(
      ['WORKSPACE', 'ANIMALS', 'NEXT ID'],
      result.workspaces.map(({ name, animals, nextId }) => [name, String(animals), String(nextId)]),
    );
    if (result.audit.count > 0) {
      const entries = pluralize(result.audit.count, 'entry', 'entries');
      print(`Audit trail: ${entries}, the last ${result.audit.digest}`);
    }
    if (file !== undefined) print(hasManifest ? `${file} matches its manifest.` : plainText(file));
    print('No damage was found.');
    for (const note of notes) print(note);
  };
  addSettings(command, ['database']).action(run);
}

function plainText(file: string): string {
  return `${file} has no manifest ${file}.json: only its contents were checked.`;
}

async function verify(command: Command, file: string | undefined) {
  if (file === undefined) {
    const { database, auditDigest } = settingsOf(command, ['database'], parsers);
    using _shown = await startWait('verifying');
    return { ...(await verifyDatabase(database, auditDigest)), hasManifest: false };
  }
  const areBoth = command.opts().database !== undefined;
  const faults = areBoth ? ['FILE and --database exclude each other'] : [];
  const { auditDigest } = settingsOf(command, [], parsers, faults);
  using _shown = await startWait('verifying');
  return await verifyBackupFile(file, auditDigest);
}
