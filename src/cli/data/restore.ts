import type { Command } from 'commander';
import { pluralize } from '../../domain/values/pluralize.ts';
import { addSettings, settingsOf } from '../../terminal/command-line.ts';
import { print, printJson, printNote } from '../../terminal/print.ts';
import { showWork } from '../../terminal/progress.ts';
import { type Backups, checkPath, loadBackups, report } from '../open-database.ts';
import { confirmChange, yesOption } from './confirm-change.ts';
import { checkFileOrFolder, readFileOrFolder } from './file-or-folder.ts';
import { idGapDefault, idGapParsers } from './id-gap.ts';
import { printPausedWebhooks } from './paused-webhooks.ts';

interface RestoreOptions {
  readonly latest?: string;
  readonly yes?: true;
  readonly json?: true;
}

type Restored = Awaited<ReturnType<Backups['restoreFile']>>;

export function addRestoreCommand(program: Command): void {
  const command = program
    .command('restore')
    .argument('[file]', 'backup or data file to restore, unless --latest chooses one')
    .description(
      'Replace all data with a backup. Stop the server first. The replaced file is kept as NAME.TIME: remove it when you do not need it.',
    )
    .option(
      '--latest <folder>',
      'restore the newest complete backup in this folder, by the times in the manifests',
    )
    .option(
      '--id-gap <number>',
      'distance of new ids above those of the backup, if the replaced data is missing, damaged, lacks writes or is from another database',
      idGapDefault,
    )
    .option(...yesOption)
    .option('--json', 'print JSON');
  addSettings(command, ['database']).action(
    async (given: string | undefined, options: RestoreOptions) => {
      const { target, faults } = readFileOrFolder(given, '--latest', options.latest);
      const { database, idGap } = settingsOf(command, ['database'], idGapParsers, faults);
      const backups = await loadBackups(
        database,
        'Restore it with pg_restore, then run accept-restored',
      );
      await checkPath(database);
      await checkFileOrFolder(target);
      const file =
        'file' in target ? target.file : findLatest(backups, target.folder, options.json);
      const replaced = await backups.describeReplaced(backups.path);
      if (replaced !== undefined) {
        const question = `This replaces the data in ${replaced}. That file is kept as NAME.TIME.`;
        await confirmChange(question, options.yes);
      }
      const restored = await showWork('restoring', (onBegin) =>
        backups.restoreFile(file, backups.path, { idGap, now: Date.now(), report, onBegin }),
      );
      if (options.json) printJson({ file, ...restored, idGap });
      else printRestored(file, restored, idGap);
    },
  );
}

/** Prints the choice before the restore, because the restore may fail. */
function findLatest({ findLatestBackup }: Backups, folder: string, json: true | undefined): string {
  const { path, manifest } = findLatestBackup(folder, Date.now(), report);
  const show = json ? printNote : print;
  show(`The newest backup in ${folder} is ${path} of ${manifest.madeAt}.`);
  return path;
}

function printRestored(file: string, restored: Restored, idGap: number): void {
  const { animals, apiKeys, madeAt = file, replacedAnimals, replaced } = restored;
  const contents = `${pluralize(animals, 'animal')} and ${pluralize(apiKeys, 'key')}`;
  const replacing =
    replacedAnimals === undefined ? '' : `, replacing ${pluralize(replacedAnimals, 'animal')}`;
  print(`Restored ${contents} of ${madeAt}${replacing}.`);
  print('Keys are those of the backup: keys revoked after it are valid again.');
  print(idsText[replaced](idGap));
  if (!restored.auditTrailWasKept) {
    print(
      'The audit trail of the replaced data is damaged or from another database, and was not kept.',
    );
  }
  printPausedWebhooks(restored.pausedWebhooks);
  if (restored.keptAs !== undefined) print(`The replaced file is kept as ${restored.keptAs}.`);
}

/** Where new ids start, by the kind of the replaced data. */
const idsText: Record<Restored['replaced'], (idGap: number) => string> = {
  same: () => 'New ids start above all ids of the replaced data.',
  lacking: (idGap) =>
    `The replaced data lacks acknowledged writes, so new ids start ${gapText(idGap)} its ids and those of the backup.`,
  other: (idGap) =>
    `The replaced data is from another database, so new ids start ${gapText(idGap)} those of the backup.`,
  unreadable: (idGap) =>
    `The command found no readable data to replace, so new ids start ${gapText(idGap)} those of the backup.`,
};

function gapText(idGap: number): string {
  return idGap === 0 ? 'right above' : `${idGap} above`;
}
