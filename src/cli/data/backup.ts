import type { Command } from 'commander';
import { echo } from '../../domain/echo.ts';
import { cleanUpOnSignal } from '../../terminal/clean-up.ts';
import { addSettings, settingsOf } from '../../terminal/command-line.ts';
import { pluralize, print, printNote } from '../../terminal/print.ts';
import { startCopyProgress, startWait } from '../../terminal/progress.ts';
import { type BackupOptions, backUp, removeOldBackups } from '../open-database.ts';
import { parseFileOrFolder } from './backup-options.ts';

const help = `
With --folder, the file is named by its time in UTC, such as 2026-11-22T19-30-00Z.db. --keep then removes the oldest backups of
the same database that were made with --folder, and nothing else.`;

type Backup = Awaited<ReturnType<typeof backUp>>;

export function addBackupCommand(program: Command): void {
  const command = program
    .command('backup')
    .argument('[file]', 'new file to write, unless --folder names one')
    .description(
      'Write all data to a new file while servers run, verify the file, and describe it in FILE.json.',
    )
    .option('--folder <folder>', 'add a file to this folder, named by its time')
    .option('--keep <number>', 'keep this many backups in --folder; without it, keep all')
    .addHelpText('after', help);
  addSettings(command, ['database']).action(
    async (file: string | undefined, options: { folder?: string; keep?: string }) => {
      const faults: string[] = [];
      const target = parseFileOrFolder(file, '--folder', options.folder, faults);
      const keep = parseKeep(options, faults);
      const { database } = settingsOf(command, ['database'], faults);
      const made = await showProgress((progress) => backUp(database, target, progress));
      printBackup(made);
      if (keep !== undefined && 'folder' in target) await removeOld(target.folder, made, keep);
    },
  );
}

function parseKeep(
  { folder, keep }: { folder?: string; keep?: string },
  faults: string[],
): number | undefined {
  if (keep === undefined) return undefined;
  if (folder === undefined) faults.push('--keep needs --folder');
  if (/^[1-9][0-9]{0,5}$/.test(keep)) return Number(keep);
  faults.push(`--keep must be a whole number from 1 to 999999, got ${echo(keep)}`);
  return undefined;
}

async function removeOld(folder: string, made: Backup, keep: number): Promise<void> {
  const { removed, laterCount } = await removeOldBackups(folder, made, keep);
  for (const path of removed) print(`Removed ${path}.`);
  if (laterCount === 0) return;
  const later = `${pluralize(laterCount, 'backup')} in ${folder} with a later time`;
  printNote(
    `animal-store: ${later}: a clock is or was wrong. --keep does not count or remove such backups`,
  );
}

async function showProgress<Result>(
  run: (progress: Omit<BackupOptions, 'now'>) => Promise<Result>,
): Promise<Result> {
  using shown = new DisposableStack();
  const copying = shown.use(await startCopyProgress('copying'));
  return await run({
    onBegin: (removePartial) => shown.use(cleanUpOnSignal(removePartial)),
    onBytes: copying.onBytes,
    async onVerify() {
      copying[Symbol.dispose]();
      shown.use(await startWait('verifying'));
    },
  });
}

function printBackup({ path, manifest }: Backup): void {
  const { animals, apiKeys, bytes, sha256 } = manifest;
  const contents = `${pluralize(animals, 'animal')} and ${pluralize(apiKeys, 'key')}`;
  print(`Backed up ${contents} to ${path}: ${bytes} bytes, verified.`);
  print(`SHA-256: ${sha256}`);
}
