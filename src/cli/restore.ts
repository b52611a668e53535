import type { Command } from 'commander';
import type { DatabaseLocation } from '../ops/config.ts';
import { addSettings, settingsOf } from './command-line.ts';
import { idGapDefault, parseIdGap } from './id-gap.ts';
import { type Restored, restoreDatabase } from './open-database.ts';
import { counted, print } from './print.ts';
import { startWait } from './progress.ts';

export function addRestoreCommand(program: Command): void {
  const command = program
    .command('restore <file>')
    .description(
      'Replace all data with a backup. Stop the server first. The replaced data is lost, unless you back it up first.',
    )
    .option(
      '--id-gap <number>',
      'distance of new ids above those of the backup, if the replaced data is missing, damaged or from another database',
      idGapDefault,
    );
  addSettings(command, ['database']).action(async (file: string, options: { idGap: string }) => {
    const faults: string[] = [];
    const idGap = parseIdGap(options.idGap, faults);
    const { database } = settingsOf(command, ['database'], faults);
    printRestored(await restore(database, file, idGap), idGap);
  });
}

async function restore(location: DatabaseLocation, file: string, idGap: number): Promise<Restored> {
  using _shown = await startWait('restoring');
  return await restoreDatabase(location, file, idGap);
}

function printRestored(
  { manifest, replacedAnimals, replaced, auditTrailWasKept }: Restored,
  idGap: number,
): void {
  const { animals, apiKeys, madeAt } = manifest;
  const contents = `${counted(animals, 'animal')} and ${counted(apiKeys, 'key')}`;
  const replacing =
    replacedAnimals === undefined ? '' : `, replacing ${counted(replacedAnimals, 'animal')}`;
  print(`Restored ${contents} of ${madeAt}${replacing}.`);
  print('Keys are those of the backup: keys revoked after it are valid again.');
  print(idsText[replaced](idGap));
  if (!auditTrailWasKept) {
    print(
      'The audit trail of the replaced data is damaged or from another database, and was not kept.',
    );
  }
}

/** Where new ids start, which depends on what was replaced. */
const idsText: Record<Restored['replaced'], (idGap: number) => string> = {
  same: () => 'New ids start above all ids of the replaced data.',
  other: (idGap) =>
    `The replaced data is from another database, so new ids start ${gapText(idGap)} above those of the backup.`,
  unreadable: (idGap) =>
    `There was no readable data to replace, so new ids start ${gapText(idGap)} above those of the backup.`,
};

function gapText(idGap: number): string {
  return idGap === 0 ? 'right' : String(idGap);
}
