import type { Command } from 'commander';
import { wholeNumber } from '../../ops/setting-values.ts';
import { cleanUpOnSignal } from '../../terminal/clean-up.ts';
import { addSettings, optional, settingsOf } from '../../terminal/command-line.ts';
import { pluralize, print, printNote } from '../../terminal/print.ts';
import { startCopyProgress, startWait } from '../../terminal/progress.ts';
import {
  type BackupOptions,
  backUp,
  type FileOrFolder,
  removeOldBackups,
} from '../open-database.ts';

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
      const faults = options.keep && options.folder === undefined ? ['--keep needs --folder'] : [];
      const target = readFileOrFolder(file, '--folder', options.folder, faults);
      const parsers = { keep: optional((text) => wholeNumber(text, 1, 999_999)) };
      const { database, keep } = settingsOf(command, ['database'], parsers, faults);
      const made = await showProgress((progress) => backUp(database, target, progress));
      printBackup(made);
      if (keep !== undefined && 'folder' in target) await removeOld(target.folder, made, keep);
    },
  );
}

/** Reads an argument FILE, or an option with a folder. Anything but exactly one of them is a fault. */
export function readFileOrFolder(
  file: string | undefined,
  flag: string,
  folder: string | undefined,
  faults: string[],
): FileOrFolder {
  if (file !== undefined && folder === undefined) return { file };
  if (file === undefined && folder) return { folder };
  if (file !== undefined) faults.push(`FILE and ${flag} exclude each other: give one of them`);
  else if (folder === undefined) faults.push(`FILE or ${flag} FOLDER is required`);
  else faults.push(`${flag} must not be empty`);
  return { folder: '' };
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
