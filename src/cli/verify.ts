import type { Command } from 'commander';
import { echo } from '../domain/error.ts';
import type { Verification } from '../domain/verification.ts';
import type { DatabaseLocation } from '../ops/config.ts';
import { addSettings, CommandFailure, settingsOf } from './command-line.ts';
import { verifyDatabase } from './open-database.ts';
import { counted, print, printTable } from './print.ts';
import { startWait } from './progress.ts';

const help = `
On SQLite, every page, index and reference is checked. On PostgreSQL, every animal is read and every reference checked;
its pages and indexes are for its own pg_amcheck and pg_checksums. On both, no id may be given out again, the audit
trail must be whole, and the keys must be those that it records.

Exit codes: 0 no damage was found; 1 there is damage, or the data could not be read; 2 the command line was not understood.`;

/** What is to be done about damage, on either engine. */
const damageAdvice =
  'Stop every server and restore the last good backup; docs/operations.md tells how';

export function addVerifyCommand(program: Command): void {
  const command = program
    .command('verify')
    .description('Check all data for damage, while servers go on.')
    .option(
      '--audit-digest <sha256>',
      'fail where the audit trail no longer has the entry of this digest, such as the last one of an earlier run',
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
