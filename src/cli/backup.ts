import type { Command } from 'commander';
import { echo } from '../domain/error.ts';
import type { Verification } from '../domain/verification.ts';
import type { DatabaseLocation } from '../ops/config.ts';
import type { BackupManifest } from '../sqlite/backup-manifest.ts';
import type { Restored } from '../sqlite/restore.ts';
import { cleanUpOnSignal } from './clean-up.ts';
import { addSettings, CommandFailure, settingsOf } from './command-line.ts';
import { idGapDefault, parseIdGap } from './id-gap.ts';
import { verifyStore } from './open-database.ts';
import { counted, print, printTable } from './print.ts';
import { startCopyProgress, startWait } from './progress.ts';

/** What is to be done about damage, on either engine. */
const damageAdvice =
  'Stop every server and restore the last good backup; docs/operations.md tells how';

/** Adds `backup`, `restore` and `verify`. */
export function addBackupCommands(program: Command): void {
  const backingUp = program
    .command('backup <file>')
    .description(
      'Write all data to a new file while servers go on, verify it, and describe it in FILE.json.',
    );
  addSettings(backingUp, ['database']).action(async (file: string) => {
    const path = sqlitePath(settingsOf(backingUp, ['database']).database, 'pg_dump backs it up');
    const { animals, apiKeys, bytes, sha256 } = await backUp(path, file);
    const contents = `${counted(animals, 'animal')} and ${counted(apiKeys, 'key')}`;
    print(`Backed up ${contents} to ${file}: ${bytes} bytes, verified.`);
    print(`SHA-256: ${sha256}`);
  });

  const restoring = program
    .command('restore <file>')
    .description(
      'Put a backup in the place of the data, all of which is then gone for good. The server must be stopped.',
    )
    .option(
      '--id-gap <number>',
      'how far ids go on above those of the backup where the data that is replaced is gone, damaged or another store',
      idGapDefault,
    );
  addSettings(restoring, ['database']).action(async (file: string, options: { idGap: string }) => {
    const faults: string[] = [];
    const idGap = parseIdGap(options.idGap, faults);
    const { database } = settingsOf(restoring, ['database'], faults);
    const path = sqlitePath(database, 'pg_restore restores it; then run restored');
    const { manifest, replacedAnimals, replaced, auditTrailWasKept } = await restore(
      file,
      path,
      idGap,
    );
    const contents = `${counted(manifest.animals, 'animal')} and ${counted(manifest.apiKeys, 'key')}`;
    const inThePlace =
      replacedAnimals === undefined
        ? ''
        : `, in the place of ${counted(replacedAnimals, 'animal')}`;
    print(`Restored ${contents} of ${manifest.madeAt}${inThePlace}.`);
    print('Keys are as they were then: one that was revoked since is valid again.');
    print(idsText[replaced](idGap));
    if (!auditTrailWasKept) {
      print('The audit trail of the replaced data is damaged or another one, and went with it.');
    }
  });

  const verifying = program
    .command('verify')
    .description('Look through all data for damage, while servers go on.')
    .option(
      '--audit-digest <sha256>',
      'fail where the audit trail no longer has the entry of this digest, such as the last of an earlier time',
    )
    .addHelpText(
      'after',
      `
On SQLite, every page, index and reference is checked. On PostgreSQL, every animal is read and every reference checked;
its pages and indexes are for its own pg_amcheck and pg_checksums. On both, no id may be given out again, the audit
trail must be whole, and the keys must be those that it tells of.

Exit codes: 0 no damage was found; 1 there is damage, or it could not be read; 2 it was not understood.`,
    );
  addSettings(verifying, ['database']).action(async (options: { auditDigest?: string }) => {
    const faults: string[] = [];
    const { auditDigest } = options;
    if (auditDigest !== undefined && !/^[0-9a-f]{64}$/.test(auditDigest)) {
      faults.push(`--audit-digest must be 64 hexadecimal digits, got ${echo(auditDigest)}`);
    }
    const { database } = settingsOf(verifying, ['database'], faults);
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

/** From where ids go on, which depends on what was replaced. */
const idsText: Record<Restored['replaced'], (idGap: number) => string> = {
  same: () => 'Ids go on above all that the replaced data gave out.',
  other: (idGap) =>
    `The replaced data is not that of the backup, and does not tell which ids were given out since: they go on ${gapText(idGap)} above those of the backup.`,
  unreadable: (idGap) =>
    `There was no data to tell which ids it gave out since: they go on ${gapText(idGap)} above those of the backup.`,
};

function gapText(idGap: number): string {
  return idGap === 0 ? 'right' : String(idGap);
}

async function backUp(path: string, file: string): Promise<BackupManifest> {
  const { backUpFile, removePartialBackup } = await import('../sqlite/backup.ts');
  using shown = new DisposableStack();
  const copying = shown.use(await startCopyProgress('copying'));
  return await backUpFile(path, file, {
    now: Date.now(),
    onBegin: () => shown.use(cleanUpOnSignal(() => removePartialBackup(file))),
    onBytes: copying.onBytes,
    async onVerify() {
      copying[Symbol.dispose]();
      shown.use(await startWait('verifying'));
    },
  });
}

async function restore(file: string, path: string, idGap: number): Promise<Restored> {
  const { restoreFile } = await import('../sqlite/restore.ts');
  using _shown = await startWait('restoring');
  return await restoreFile(file, path, { idGap, now: Date.now() });
}

async function verify(location: DatabaseLocation, auditDigest?: string): Promise<Verification> {
  using _shown = await startWait('verifying');
  return await verifyStore(location, auditDigest);
}

function sqlitePath(location: DatabaseLocation, instead: string): string {
  if (location.engine === 'sqlite') return location.path;
  throw new CommandFailure([`This is for SQLite; the data is in PostgreSQL, and ${instead}`]);
}
