import { type Command, Option } from 'commander';
import {
  type ApiKey,
  apiKeyNameRule,
  apiKeyState,
  isApiKeyName,
  scopes,
} from '../domain/api-key.ts';
import { echo } from '../domain/error.ts';
import { type Int64, parseInt64 } from '../domain/int64.ts';
import { formatRateLimit, parseRateLimit, rateLimitRule } from '../domain/rate-limit.ts';
import { defaultWorkspaceName } from '../domain/workspace.ts';
import { claimEnvironment } from './claim-environment.ts';
import { addSettings, CommandFailure, isGiven, settingsOf } from './command-line.ts';
import { durationRule, parseDuration } from './duration.ts';
import { newApiKey, storedApiKey } from './new-api-key.ts';
import { databaseSettings, openDatabaseWith, openExistingDatabase } from './open-database.ts';
import { formatMinute, formatTime, print, printJson, printTable } from './print.ts';

export function addKeysCommand(program: Command): void {
  const keys = program
    .command('keys')
    .description('Create, list, rotate and revoke API keys, also while the server runs.');
  addCreate(keys);
  addList(keys);
  addRotate(keys);
  addRevoke(keys);
}

const jsonOption = () => new Option('--json', 'print JSON, for scripts');

function addCreate(keys: Command): void {
  const names = [...databaseSettings, 'environment'] as const;
  const command = keys
    .command('create')
    .description('Create a key and print it, this once.')
    .requiredOption('--name <text>', 'what or whom the key is for')
    .option('--workspace <name>', 'workspace that the key opens', defaultWorkspaceName)
    .option('--scopes <list>', 'what the key may do, separated by commas', scopes.join(','))
    .option('--expires <duration>', 'how long the key is valid, such as 90d (default: for ever)')
    .option(
      '--rate-limit <limit>',
      'how much the key may ask, such as 600/min (default: the limit of the server)',
    )
    .addOption(jsonOption());
  addSettings(command, names).action(async (options: CreateOptions) => {
    const faults: string[] = [];
    if (!isApiKeyName(options.name))
      faults.push(`--name ${apiKeyNameRule}, got ${echo(options.name)}`);
    const asked = options.scopes.split(',');
    const granted = scopes.filter((scope) => asked.includes(scope));
    if (granted.length === 0 || granted.length < new Set(asked).size) {
      faults.push(`--scopes must be of ${scopes.join(', ')}, got ${echo(options.scopes)}`);
    }
    const validFor = options.expires === undefined ? undefined : parseDuration(options.expires);
    if (options.expires !== undefined && (validFor === undefined || validFor === 0)) {
      faults.push(`--expires ${durationRule}, got ${echo(options.expires)}`);
    }
    const rateLimit =
      options.rateLimit === undefined ? undefined : parseRateLimit(options.rateLimit);
    if (options.rateLimit !== undefined && rateLimit === undefined) {
      faults.push(`--rate-limit must be ${rateLimitRule}, got ${echo(options.rateLimit)}`);
    }
    const config = settingsOf(command, names, faults);

    await using database = await openDatabaseWith(options.workspace, config);
    // Before the data is claimed for an environment: what cannot be done changes nothing.
    if ((await database.findWorkspace(options.workspace)) === undefined) {
      throw noSuchWorkspace(options.workspace);
    }
    const wasAskedFor = isGiven(command, 'environment');
    const environment = await claimEnvironment(database, config.environment, wasAskedFor);
    const { text, digest, lastFour } = newApiKey(environment);
    const now = Date.now();
    const write = database.write('createApiKey', {
      workspaceName: options.workspace,
      apiKey: {
        name: options.name,
        digest,
        lastFour,
        scopes: granted,
        rateLimit,
        expiresAt: validFor === undefined ? undefined : now + validFor,
      },
      now,
    });
    const created = await storedApiKey(text, write);
    if (created === 'no_such_workspace') {
      throw noSuchWorkspace(options.workspace);
    }
    printApiKey(created, text, options.json);
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

function addList(keys: Command): void {
  const command = keys
    .command('list')
    .description(
      'List all keys ever made. A key itself is stored nowhere and cannot be shown. A server tells of use once a minute.',
    )
    .option('--workspace <name>', 'only keys of this workspace')
    .addOption(jsonOption());
  addSettings(command, databaseSettings).action(
    async (options: { workspace?: string; json?: true }) => {
      await using database = await openExistingDatabase(settingsOf(command, databaseSettings));
      const { workspace } = options;
      if (workspace !== undefined && (await database.findWorkspace(workspace)) === undefined) {
        throw noSuchWorkspace(workspace);
      }
      const apiKeys = await database.listApiKeys(workspace);
      const now = Date.now();
      if (options.json) {
        printJson(apiKeys.map((apiKey) => describe(apiKey, now)));
        return;
      }
      printTable(
        [
          'ID',
          'NAME',
          'WORKSPACE',
          'ENDS IN',
          'SCOPES',
          'LIMIT',
          'STATE',
          'CREATED',
          'LAST USED',
          'EXPIRES',
        ],
        apiKeys.map((apiKey) => [
          String(apiKey.id),
          apiKey.name,
          apiKey.workspaceName,
          apiKey.lastFour,
          apiKey.scopes.join(','),
          apiKey.rateLimit === undefined ? '-' : formatRateLimit(apiKey.rateLimit),
          stateText(apiKey, now),
          formatTime(apiKey.createdAt),
          formatMinute(apiKey.lastUsedAt),
          formatTime(apiKey.expiresAt),
        ]),
      );
    },
  );
}

function addRotate(keys: Command): void {
  const names = [...databaseSettings, 'environment'] as const;
  const command = keys
    .command('rotate')
    .description(
      'Create a key with the name, scopes, limit and expiry of another, which ends after an overlap.',
    )
    .argument('<id>', 'id of the key to replace')
    .option(
      '--overlap <duration>',
      'how long the old key stays valid; 0 ends it now, and an earlier end that it has already stays',
      '24h',
    )
    .addOption(jsonOption());
  addSettings(command, names).action(
    async (idText: string, options: { overlap: string; json?: true }) => {
      const faults: string[] = [];
      const id = parseId(idText, faults);
      const overlapMilliseconds = parseDuration(options.overlap);
      if (overlapMilliseconds === undefined) {
        faults.push(`--overlap ${durationRule}, got ${echo(options.overlap)}`);
      }
      const config = settingsOf(command, names, faults);
      await using database = await openExistingDatabase(config);
      const wasAskedFor = isGiven(command, 'environment');
      const environment = await claimEnvironment(database, config.environment, wasAskedFor);
      const { text, digest, lastFour } = newApiKey(environment);
      const now = Date.now();
      const write = database.write('rotateApiKey', {
        id,
        digest,
        lastFour,
        overlapMilliseconds: overlapMilliseconds ?? 0,
        now,
      });
      const rotated = await storedApiKey(text, write);
      if (rotated === 'no_such_key') throw noSuchApiKey(id);
      if (rotated === 'not_active') {
        throw new CommandFailure([`Key ${id} is expired or revoked; create a new one instead`]);
      }
      const { replaced, replacement } = rotated;
      const endsAt = endOf(replaced, now);
      if (!options.json) {
        const ends = endsAt > now ? 'ends' : 'ended';
        print(`Key ${id} (${replaced.name}) ${ends} at ${formatTime(endsAt)}.`);
      }
      printApiKey(replacement, text, options.json, {
        replaces: id,
        replacedEndsAt: formatTime(endsAt),
      });
    },
  );
}

function addRevoke(keys: Command): void {
  const command = keys
    .command('revoke')
    .description('End a key now. It is refused within a second, on every server.')
    .argument('<id>', 'id of the key')
    .addOption(jsonOption());
  addSettings(command, databaseSettings).action(
    async (idText: string, options: { json?: true }) => {
      const faults: string[] = [];
      const id = parseId(idText, faults);
      const config = settingsOf(command, databaseSettings, faults);
      await using database = await openExistingDatabase(config);
      const now = Date.now();
      const revoked = await database.write('revokeApiKey', { id, now });
      if (revoked === undefined) throw noSuchApiKey(id);
      if (options.json) printJson(describe(revoked, now));
      else print(revokedText(revoked, now));
    },
  );
}

/** A key that was revoked outright before keeps the time of that. */
function revokedText({ id, name, lastFour, revokedAt }: ApiKey, now: number): string {
  const key = `${id} (${name}, ends in ${lastFour})`;
  return revokedAt === now ? `Revoked key ${key}.` : `Key ${key} was revoked already.`;
}

/** When a key that was rotated ends: by the overlap, by an earlier one, or because it expires before. */
function endOf({ revokedAt, expiresAt }: ApiKey, now: number): number {
  return Math.min(revokedAt ?? now, expiresAt ?? Number.POSITIVE_INFINITY);
}

/** The id that was given, or 0, which no key has, and a fault. */
function parseId(text: string, faults: string[]): Int64 {
  const id = parseInt64(text) ?? 0n;
  if (id >= 1n) return id;
  faults.push(`ID must be the number of a key, got ${echo(text)}`);
  return 0n;
}

function noSuchApiKey(id: Int64): CommandFailure {
  return new CommandFailure([`There is no key ${id}; keys list shows those there are`]);
}

function noSuchWorkspace(name: string): CommandFailure {
  return new CommandFailure([`There is no workspace ${echo(name)}`]);
}

function printApiKey(
  apiKey: ApiKey,
  text: string,
  json: true | undefined,
  furtherMembers: object = {},
): void {
  if (json) {
    printJson({ ...describe(apiKey, Date.now()), ...furtherMembers, apiKey: text });
    return;
  }
  print(`Key ${apiKey.id} (${apiKey.name}) opens workspace ${apiKey.workspaceName}.`);
  print(`Scopes: ${apiKey.scopes.join(', ')}. Expires: ${formatTime(apiKey.expiresAt)}`);
  print('It is shown only now:');
  print(`\n  ${text}\n`);
}

function stateText(apiKey: ApiKey, now: number): string {
  const state = apiKeyState(apiKey, now);
  return state === 'active' && apiKey.revokedAt !== undefined
    ? `until ${formatTime(apiKey.revokedAt)}`
    : state;
}

function describe(apiKey: ApiKey, now: number) {
  return {
    id: apiKey.id,
    name: apiKey.name,
    workspace: apiKey.workspaceName,
    lastFour: apiKey.lastFour,
    scopes: apiKey.scopes,
    rateLimit: apiKey.rateLimit === undefined ? null : formatRateLimit(apiKey.rateLimit),
    state: apiKeyState(apiKey, now),
    createdAt: formatTime(apiKey.createdAt),
    lastUsedAt: timeOrNull(apiKey.lastUsedAt),
    expiresAt: timeOrNull(apiKey.expiresAt),
    revokedAt: timeOrNull(apiKey.revokedAt),
  };
}

function timeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : formatTime(milliseconds);
}
