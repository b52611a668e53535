import type { Command } from 'commander';
import { echo } from '../domain/error.ts';
import type { Verification } from '../domain/verification.ts';
import type { DatabaseLocation } from '../ops/config.ts';
import { addSettings, CommandFailure, settingsOf } from './command-line.ts';
import { verifyDatabase } from './open-database.ts';
import { counted, print, printTable } from './print.ts';
import { startWait } from './progress.ts';

const help = `
On SQLite, every page, index and reference is checked. On PostgreSQL, every animal is read and every reference is checked;
use pg_amcheck and pg_checksums for pages and indexes. On both, the command checks that no id can be given out again, that
animals, orders and counts agree, that the audit trail is complete, and that the keys match it.

Exit codes: 0 no damage found; 1 damage found, or the data could not be read; 2 invalid command line.`;

/** What is to be done about damage, on either engine. */
const damageAdvice = 'Stop all servers and restore the last good backup: see docs/operations.md';

export function addVerifyCommand(program: Command): void {
  const command = program
    .command('verify')
    .description('Check all data for damage, while servers run.')
    .option(
      '--audit-digest <sha256>',
      'fail if the audit trail has no entry with this digest, noted from an earlier run',
    )
    .addHelpText('after', help);
  addSettings(command, ['database']).action(async (options: { auditDigest?: string }) => {
    const faults: string[] = [];
    const { auditDigest } = options;
    if (auditDigest !== undefined && !/^[0-9a-f]{64}$/.test(auditDigest)) {
      faults.push(`--audit-digest must be 64 hexadecimal digits, got ${echo(auditDigest)}`);
    }
    const { database } = settingsOf(command, ['database'], faults);
    const result = await verify(database, auditDigest);
    if ('faults' in result) throw new CommandFailure([...result.faults, damageAdvice]);
    printTable(
      ['WORKSPACE', 'ANIMALS', 'NEXT ID'],
      result.workspaces.map(({ name, animals, nextId }) => [name, String(animals), String(nextId)]),
    );
    if (result.audit.count > 0) {
      const entries = counted(result.audit.count, 'entry', 'entries');
      print(`Audit trail: ${entries}, the last ${result.audit.digest}`);
    }
    print('No damage was found.');
  });
}

async function verify(location: DatabaseLocation, auditDigest?: string): Promise<Verification> {
  using _shown = await startWait('verifying');
  return await verifyDatabase(location, auditDigest);
}
