import type { Command } from 'commander';
import { apiKeyEnd } from '../../domain/access/api-key.ts';
import { echo } from '../../domain/echo.ts';
import { CliFailure } from '../../terminal/cli-failure.ts';
import { addSettings, jsonOption, settingsOf } from '../../terminal/command-line.ts';
import { durationRule, parseDuration } from '../../terminal/duration.ts';
import { formatTime, print } from '../../terminal/print.ts';
import { databaseSettings, openExistingDatabase } from '../open-database.ts';
import { noSuchKey, parseKeyId, printNewKey, storeNewKey } from './key.ts';

const settingNames = [...databaseSettings, 'environment'] as const;

export function addKeysRotateCommand(keys: Command): void {
  const command = keys
    .command('rotate')
    .description(
      'Replace a key with a new one that has the same name, scopes, rate limit and expiry. The old key stays valid for an overlap.',
    )
    .argument('<id>', 'id of the key to replace')
    .option(
      '--overlap <duration>',
      'how long the old key stays valid, but not beyond its own end; 0 revokes it now',
      '24h',
    )
    .addOption(jsonOption());
  addSettings(command, settingNames).action(
    async (idText: string, options: { overlap: string; json?: true }) => {
      const faults: string[] = [];
      const id = parseKeyId(idText, faults);
      const overlapMilliseconds = parseDuration(options.overlap);
      if (overlapMilliseconds === undefined) {
        faults.push(`--overlap ${durationRule}, got ${echo(options.overlap)}`);
      }
      const config = settingsOf(command, settingNames, faults);
      if (overlapMilliseconds === undefined) return;
      await using database = await openExistingDatabase(config);
      const now = Date.now();
      const { text, outcome } = await storeNewKey(command, database, config, (key) =>
        database.write('rotateApiKey', { id, ...key, overlapMilliseconds, now }),
      );
      if ('refused' in outcome) {
        throw outcome.refused === 'no_such_key'
          ? noSuchKey(id)
          : new CliFailure(`Key ${id} is expired or revoked; create a new key instead`);
      }
      const { replaced, replacement } = outcome.ok;
      const endsAt = Math.max(apiKeyEnd(replaced), now);
      if (!options.json) {
        const valid = endsAt > now ? 'is valid until' : 'was valid until';
        print(`Key ${id} (${replaced.name}) ${valid} ${formatTime(endsAt)}.`);
      }
      const members = { replaces: id, replacedEndsAt: formatTime(endsAt) };
      printNewKey(replacement, text, options.json, members);
    },
  );
}
