import type { Command } from 'commander';
import { pluralize } from '../../domain/values/pluralize.ts';
import { wholeNumber } from '../../ops/setting-values.ts';
import { addSettings, optional, settingsOf } from '../../terminal/command-line.ts';
import { print, printJson, printNote } from '../../terminal/print.ts';
import { startWait } from '../../terminal/progress.ts';
import { cleanUpOnSignal } from '../../terminal/signals.ts';
import { type Backups, checkPath, loadBackups } from '../open-database.ts';
import { checkFileOrFolder, type FileOrFolder, readFileOrFolder } from './file-or-folder.ts';

const help = `
With --folder, the file is named by its time in UTC, such as 2026-11-22T19-30-00Z.db. --keep then removes the oldest backups of
the same database that were made with --folder, and nothing else.`;

interface BackupOptions {
  readonly folder?: string;
  readonly keep?: string;
  readonly json?: true;
}

type Backup = Awaited<ReturnType<Backups['backUpToFolder']>>;

export function addBackupCommand(program: Command): void {
  const command = program
    .command('backup')
    .argument('[file]', 'new file to write, unless --folder names one')
    .description(
      'Write all data to a new file while servers run, verify the file, and describe it in FILE.json.',
    )
    .option('--folder <folder>', 'add a file to this folder, named by its time')
    .option('--keep <number>', 'keep this many backups in --folder; without it, keep all')
    .option('--json', 'print JSON')
    .addHelpText('after', help);
  addSettings(command, ['database']).action(
    async (file: string | undefined, options: BackupOptions) => {
      const { target, faults } = readFileOrFolder(file, '--folder', options.folder);
      if (options.keep && options.folder === undefined) faults.push('--keep needs --folder');
      const parsers = { keep: optional((text) => wholeNumber(text, 1, 999_999)) };
      const { database, keep } = settingsOf(command, ['database'], parsers, faults);
      const backups = await loadBackups(database, 'Back it up with pg_dump');
      await checkPath(database);
      await checkFileOrFolder(target);
      const made = await backUp(backups, target);
      if (!options.json) printBackup(made);
      const old =
        keep !== undefined && 'folder' in target
          ? backups.removeOldBackups(target.folder, made, keep)
          : { removed: [], laterCount: 0 };
      if (options.json) printJson({ path: made.path, ...made.manifest, removed: old.removed });
      else for (const path of old.removed) print(`Removed ${path}.`);
      if ('folder' in target) noteLater(target.folder, old.laterCount);
    },
  );
}

function noteLater(folder: string, laterCount: number): void {
  if (laterCount === 0) return;
  const later = `${pluralize(laterCount, 'backup')} in ${folder} with a later time`;
  printNote(
    `animal-store: ${later}: a clock is or was wrong. --keep does not count or remove such backups`,
  );
}

async function backUp(backups: Backups, target: FileOrFolder): Promise<Backup> {
  using shown = new DisposableStack();
  const copying = shown.use(await startWait('copying'));
  const options = {
    onBegin: (removePartial: () => void) => shown.use(cleanUpOnSignal(removePartial)),
    async onVerify() {
      copying[Symbol.dispose]();
      shown.use(await startWait('verifying'));
    },
    now: Date.now(),
  };
  const { path, backUpFile, backUpToFolder } = backups;
  if ('file' in target) {
    return { path: target.file, manifest: await backUpFile(path, target.file, options) };
  }
  return await backUpToFolder(path, target.folder, { ...options, id: crypto.randomUUID() });
}

function printBackup({ path, manifest }: Backup): void {
  const { animals, apiKeys, bytes, sha256 } = manifest;
  const contents = `${pluralize(animals, 'animal')} and ${pluralize(apiKeys, 'key')}`;
  print(`Backed up ${contents} to ${path}: ${bytes} bytes, verified.`);
  print(`SHA-256: ${sha256}`);
}
