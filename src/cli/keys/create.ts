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
import { echo } from '../../domain/error.ts';
import { newApiKey } from '../../http/access/new-api-key.ts';
import { claimEnvironment } from '../../server/claim-environment.ts';
import { storedApiKey } from '../../server/new-api-key.ts';
import { noSuchWorkspace } from '../../terminal/cli-failure.ts';
import { addSettings, isGiven, jsonOption, settingsOf } from '../../terminal/command-line.ts';
import { durationRule, parseDuration } from '../../terminal/duration.ts';
import { creatingSettings, openDatabaseWith } from '../open-database.ts';
import { printNewKey } from './print-key.ts';

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
    // Before the data is claimed for an environment: what cannot be done changes nothing.
    if ((await database.findWorkspace(workspaceName)) === undefined) {
      throw noSuchWorkspace(workspaceName);
    }
    const wasAskedFor = isGiven(command, 'environment');
    const environment = await claimEnvironment(database, config.environment, wasAskedFor);
    const { text, digest, lastFour } = newApiKey(environment);
    const now = Date.now();
    const { validMilliseconds, ...rest } = wanted;
    const expiresAt = validMilliseconds === undefined ? undefined : now + validMilliseconds;
    const apiKey = { name, digest, lastFour, ...rest, expiresAt };
    const write = database.write('createApiKey', { workspaceName, apiKey, now });
    const outcome = await storedApiKey(text, write);
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
