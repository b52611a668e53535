import type { Command } from 'commander';
import type { DatabaseLocation } from '../ops/config.ts';
import { cleanUpOnSignal } from './clean-up.ts';
import { addSettings, settingsOf } from './command-line.ts';
import { type BackupManifest, backUpDatabase } from './open-database.ts';
import { counted, print } from './print.ts';
import { startCopyProgress, startWait } from './progress.ts';

export function addBackupCommand(program: Command): void {
  const command = program
    .command('backup <file>')
    .description(
      'Write all data to a new file while servers run, verify the file, and describe it in FILE.json.',
    );
  addSettings(command, ['database']).action(async (file: string) => {
    const { database } = settingsOf(command, ['database']);
    const { animals, apiKeys, bytes, sha256 } = await backUp(database, file);
    const contents = `${counted(animals, 'animal')} and ${counted(apiKeys, 'key')}`;
    print(`Backed up ${contents} to ${file}: ${bytes} bytes, verified.`);
    print(`SHA-256: ${sha256}`);
  });
}

async function backUp(location: DatabaseLocation, file: string): Promise<BackupManifest> {
  using shown = new DisposableStack();
  const copying = shown.use(await startCopyProgress('copying'));
  return await backUpDatabase(location, file, {
    onBegin: (removePartial) => shown.use(cleanUpOnSignal(removePartial)),
    onBytes: copying.onBytes,
    async onVerify() {
      copying[Symbol.dispose]();
      shown.use(await startWait('verifying'));
    },
  });
}
