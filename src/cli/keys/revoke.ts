import type { Command } from 'commander';
import type { ApiKey } from '../../domain/access/api-key.ts';
import { addSettings, jsonOption, settingsOf } from '../../terminal/command-line.ts';
import { print, printJson } from '../../terminal/print.ts';
import { databaseSettings, openExistingDatabase } from '../open-database.ts';
import { describeKey, noSuchKey, parseKeyId } from './key.ts';

export function addKeysRevokeCommand(keys: Command): void {
  const command = keys
    .command('revoke')
    .description('Revoke a key. Every server rejects it within a second.')
    .argument('<id>', 'id of the key')
    .addOption(jsonOption());
  addSettings(command, databaseSettings).action(
    async (idText: string, options: { json?: true }) => {
      const faults: string[] = [];
      const id = parseKeyId(idText, faults);
      const config = settingsOf(command, databaseSettings, faults);
      await using database = await openExistingDatabase(config);
      const now = Date.now();
      const outcome = await database.write('revokeApiKey', { id, now });
      if ('refused' in outcome) throw noSuchKey(id);
      if (options.json) printJson(describeKey(outcome.ok, now));
      else print(revokedText(outcome.ok, now));
    },
  );
}

/** The time of the first revocation stays. */
function revokedText({ id, name, lastFour, revokedAt }: ApiKey, now: number): string {
  const key = `${id} (${name}, last 4 ${lastFour})`;
  return revokedAt === now ? `Revoked key ${key}.` : `Key ${key} was already revoked.`;
}
