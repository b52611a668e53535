import type { Command } from 'commander';
import {
  apiKeyNameRule,
  defaultScopes,
  isApiKeyName,
  type Scope,
  scopes,
} from '../../domain/access/api-key.ts';
import { parseRateLimit, type RateLimit, rateLimitRule } from '../../domain/access/rate-limit.ts';
import { defaultWorkspaceName } from '../../domain/access/workspace.ts';
import { echo } from '../../domain/echo.ts';
import { noSuchWorkspace } from '../../terminal/cli-failure.ts';
import { addSettings, jsonOption, settingsOf } from '../../terminal/command-line.ts';
import { durationRule, parseDuration } from '../../terminal/duration.ts';
import { requireWorkspace } from '../list-command.ts';
import { creatingSettings, openDatabaseWith } from '../open-database.ts';
import { printNewKey, storeNewKey } from './key.ts';

const settingNames = [...creatingSettings, 'environment'] as const;

export function addKeysCreateCommand(keys: Command): void {
  const command = keys
    .command('create')
    .description('Create a key and print it. It cannot be shown again.')
    .requiredOption('--name <text>', 'name of the key, such as its user')
    .option('--workspace <name>', 'workspace of the key', defaultWorkspaceName)
    .option('--scopes <list>', 'scopes of the key, separated by commas', defaultScopes.join(','))
    .option('--expires <duration>', 'how long the key is valid, such as 90d (default: no expiry)')
    .option(
      '--rate-limit <limit>',
      'rate limit of the key, such as 600/min (default: the limit of the server)',
    )
    .addOption(jsonOption());
  addSettings(command, settingNames).action(async (options: CreateOptions) => {
    const faults: string[] = [];
    const { name, workspace: workspaceName } = options;
    const wanted = readOptions(options, faults);
    const config = settingsOf(command, settingNames, faults);

    await using database = await openDatabaseWith(workspaceName, config);
    // Before the claim of the environment, because a command that fails must not change the data.
    await requireWorkspace(database, workspaceName);
    const { validMilliseconds, ...rest } = wanted;
    const now = Date.now();
    const expiresAt = validMilliseconds === undefined ? undefined : now + validMilliseconds;
    const { text, outcome } = await storeNewKey(command, database, config, (key) => {
      const apiKey = { name, ...key, ...rest, expiresAt };
      return database.write('createApiKey', { workspaceName, apiKey, now });
    });
    if ('refused' in outcome) throw noSuchWorkspace(workspaceName);
    printNewKey(outcome.ok, text, options.json);
  });
}

interface CreateOptions {
  name: string;
  workspace: string;
  scopes: string;
  expires?: string;
  rateLimit?: string;
  json?: true;
}

interface WantedKey {
  readonly scopes: readonly Scope[];
  readonly rateLimit: RateLimit | undefined;
  readonly validMilliseconds: number | undefined;
}

function readOptions(options: CreateOptions, faults: string[]): WantedKey {
  if (!isApiKeyName(options.name)) {
    faults.push(`--name ${apiKeyNameRule}, got ${echo(options.name)}`);
  }
  const asked = options.scopes.split(',').map((scope) => scope.trim());
  const granted = scopes.filter((scope) => asked.includes(scope));
  if (granted.length === 0 || granted.length < new Set(asked).size) {
    faults.push(`--scopes must be a list of ${scopes.join(', ')}, got ${echo(options.scopes)}`);
  }
  const { expires, rateLimit: limitText } = options;
  const validMilliseconds = expires === undefined ? undefined : parseDuration(expires);
  if (expires !== undefined && (validMilliseconds === undefined || validMilliseconds === 0)) {
    faults.push(`--expires ${durationRule}, got ${echo(expires)}`);
  }
  const rateLimit = limitText === undefined ? undefined : parseRateLimit(limitText);
  if (limitText !== undefined && rateLimit === undefined) {
    faults.push(`--rate-limit must be ${rateLimitRule}, got ${echo(limitText)}`);
  }
  return { scopes: granted, rateLimit, validMilliseconds };
}
