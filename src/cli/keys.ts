import type { Command } from 'commander';
import { background } from '../context/context.ts';
import {
  type ApiKey,
  apiKeyEnd,
  apiKeyNameRule,
  apiKeyState,
  defaultScopes,
  isApiKeyName,
  operatorApiKeyId,
  type Scope,
  scopes,
} from '../domain/access/api-key.ts';
import { formatRateLimit, parseRateLimit, rateLimitRule } from '../domain/access/rate-limit.ts';
import { defaultWorkspaceName } from '../domain/access/workspace.ts';
import type { Int64 } from '../domain/values/int64.ts';
import { newApiKey } from '../http/access/new-api-key.ts';
import { type Config, settings } from '../ops/config.ts';
import { orMustBe, type Parsed, parseDuration, textIf } from '../ops/setting-values.ts';
import { claimEnvironment } from '../server/claim-environment.ts';
import { showKeyIfUnknown } from '../server/show-key-if-unknown.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import type { MetaReads } from '../storage/contract/meta.ts';
import { CliFailure, noSuchKey, noSuchWorkspace } from '../terminal/cli-failure.ts';
import { addSettings, isGiven, optional, settingsOf } from '../terminal/command-line.ts';
import { formatMinute, formatTime, print, printJson } from '../terminal/print.ts';
import { readVariable } from '../terminal/variables.ts';
import { addListAction, optionalText, parseIdOf } from './list-command.ts';
import {
  creatingSettings,
  databaseSettings,
  openDatabaseWith,
  openExistingDatabase,
} from './open-database.ts';
import { findIfNamed, requireWorkspace } from './require-workspace.ts';

export function addKeysCommands(program: Command): void {
  const keys = program
    .command('keys')
    .description('Create, list, rotate and revoke API keys, also while the server runs.');
  addCreateCommand(keys);
  addListCommand(keys);
  addRotateCommand(keys);
  addRevokeCommand(keys);
}

const createSettings = [...creatingSettings, 'environment'] as const;

function addCreateCommand(keys: Command): void {
  const command = keys
    .command('create')
    .description('Create a key and print it. It cannot be shown again.')
    .requiredOption('--name <text>', 'name of the key, such as its user')
    .option('--workspace <name>', 'workspace of the key', defaultWorkspaceName)
    .option(
      '--scopes <list>',
      `scopes of the key, separated by commas, of ${scopes.join(', ')}`,
      defaultScopes.join(','),
    )
    .option('--expires <duration>', 'how long the key is valid, such as 90d (default: no expiry)')
    .option(
      '--rate-limit <limit>',
      'rate limit of the key, such as 600/min (default: the limit of the server)',
    )
    .option('--json', 'print JSON');
  const parsers = {
    name: (text: string) => textIf(isApiKeyName(text), text, apiKeyNameRule),
    scopes: parseScopes,
    expires: optional((text) => parseDuration(text, 1)),
    rateLimit: optional((text) => orMustBe(parseRateLimit(text), rateLimitRule)),
  };
  addSettings(command, createSettings).action(
    async ({ workspace: workspaceName, json }: { workspace: string; json?: true }) => {
      const config = settingsOf(command, createSettings, parsers);
      const { name, scopes, expires, rateLimit } = config;
      await using database = await openDatabaseWith(workspaceName, config);
      // Before the claim of the environment, because a command that fails must not change the data.
      await requireWorkspace(database, workspaceName);
      const now = Date.now();
      const expiresAt = expires === undefined ? undefined : now + expires;
      const { text, outcome } = await storeNewKey(command, database, config, (key) => {
        const apiKey = { name, ...key, scopes, rateLimit, expiresAt };
        return database.write(background, 'createApiKey', { workspaceName, apiKey, now });
      });
      if ('refused' in outcome) throw noSuchWorkspace(workspaceName);
      printNewKey(outcome.ok, text, json);
    },
  );
}

function parseScopes(text: string): Parsed<readonly Scope[]> {
  const asked = text.split(',').map((scope) => scope.trim());
  const granted = scopes.filter((scope) => asked.includes(scope));
  const areAllKnown = granted.length > 0 && granted.length === new Set(asked).size;
  return orMustBe(
    areAllKnown ? granted : undefined,
    `a list of scopes, separated by commas: ${scopes.join(', ')}`,
  );
}

/** Makes a key for the environment of the data, and stores it by `write`. Returns its text too. */
async function storeNewKey<Outcome>(
  command: Command,
  database: CommandWriter & MetaReads,
  config: Config<'environment'>,
  write: (key: { readonly digest: string; readonly lastFour: string }) => Promise<Outcome>,
): Promise<{ readonly text: string; readonly outcome: Outcome }> {
  const isExplicit = isGiven(command, 'environment');
  const environment = await claimEnvironment(database, config.environment, { isExplicit });
  const { text, digest, lastFour } = newApiKey(environment);
  return { text, outcome: await showKeyIfUnknown(text, write({ digest, lastFour })) };
}

/** Prints a new key with its text, which is not stored and cannot be printed again. */
function printNewKey(
  apiKey: ApiKey,
  text: string,
  json: true | undefined,
  furtherMembers: object = {},
): void {
  if (json) {
    printJson({ ...describeKey(apiKey, Date.now()), ...furtherMembers, apiKey: text });
    return;
  }
  print(`Key ${apiKey.id} (${apiKey.name}) grants access to workspace ${apiKey.workspaceName}.`);
  print(`Scopes: ${apiKey.scopes.join(', ')}. Expires: ${formatTime(apiKey.expiresAt)}`);
  print('This key is shown only once:');
  for (const line of ['', `  ${text}`, '']) print(line);
}

function addListCommand(keys: Command): void {
  const command = keys
    .command('list')
    .description(
      'List keys, newest first, including expired and revoked ones. The keys themselves are not stored and cannot be shown. Servers record use once a minute.',
    )
    .option('--workspace <name>', 'only keys of this workspace')
    .option('--before <id>', 'only keys that were created before this one');
  const parsers = {
    workspace: optionalText,
    before: optional(parseIdOf('a key')),
  };
  addListAction(command, parsers, async (reads, { workspace: name, before }) => {
    const workspace = await findIfNamed(reads, name);
    const now = Date.now();
    const ownKey = ownKeyOf(readVariable(settings.apiKey.variable));
    const isOfOther = name !== undefined && name !== defaultWorkspaceName;
    return {
      headings: [
        'ID',
        'NAME',
        'WORKSPACE',
        'LAST 4',
        'SCOPES',
        'LIMIT',
        'STATE',
        'CREATED',
        'LAST USED',
        'EXPIRES',
      ],
      toRow: (apiKey: ListedKey) => toRow(apiKey, now),
      toJson: (apiKey: ListedKey) => describeKey(apiKey, now),
      first: before,
      async readPage(limit: number, afterId?: Int64) {
        const page = await reads.listApiKeys(background, { limit, afterId }, workspace?.id);
        const { items, nextAfterId } = page;
        if (nextAfterId !== undefined || isOfOther) return { items, next: nextAfterId };
        // The lowest number comes last.
        return items.length < limit
          ? { items: [...items, ...ownKey], next: undefined }
          : { items, next: ownKey.length > 0 ? items.at(-1)?.id : undefined };
      },
      moreText: (id: Int64) => `The list has older keys. Add --before ${id} to list them`,
    };
  });
}

/** The time of creation of the operator's own key is not known. */
type ListedKey = Omit<ApiKey, 'createdAt' | 'workspaceId'> & Pick<Partial<ApiKey>, 'createdAt'>;

/** The operator's own key, which is not stored, if this command has it in its environment, as the server has. */
function ownKeyOf(text: string | undefined): readonly ListedKey[] {
  if (text === undefined) return [];
  const name = settings.apiKey.variable;
  const of = { id: operatorApiKeyId, name, workspaceName: defaultWorkspaceName, scopes };
  const ends = { expiresAt: undefined, revokedAt: undefined, isRevoked: false };
  return [
    { ...of, ...ends, lastFour: text.slice(-4), rateLimit: undefined, lastUsedAt: undefined },
  ];
}

function toRow(apiKey: ListedKey, now: number): readonly string[] {
  const { id, name, workspace, lastFour, rateLimit, state, createdAt } = describeKey(apiKey, now);
  const { lastUsedAt, expiresAt, revokedAt } = apiKey;
  const isInOverlap = state === 'active' && revokedAt !== undefined;
  return [
    String(id),
    name,
    workspace,
    lastFour,
    apiKey.scopes.join(','),
    rateLimit ?? '-',
    isInOverlap ? `until ${formatTime(apiKeyEnd(apiKey))}` : state,
    createdAt ?? '-',
    formatMinute(lastUsedAt),
    formatTime(expiresAt),
  ];
}

/** A key as JSON for scripts. */
function describeKey(apiKey: ListedKey, now: number) {
  return {
    id: apiKey.id,
    name: apiKey.name,
    workspace: apiKey.workspaceName,
    lastFour: apiKey.lastFour,
    scopes: apiKey.scopes,
    rateLimit: apiKey.rateLimit === undefined ? null : formatRateLimit(apiKey.rateLimit),
    state: apiKeyState(apiKey, now),
    createdAt: timeOrNull(apiKey.createdAt),
    lastUsedAt: timeOrNull(apiKey.lastUsedAt),
    expiresAt: timeOrNull(apiKey.expiresAt),
    revokedAt: timeOrNull(apiKey.revokedAt),
  };
}

function timeOrNull(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : formatTime(milliseconds);
}

const rotateSettings = [...databaseSettings, 'environment'] as const;

function addRotateCommand(keys: Command): void {
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
    .option('--json', 'print JSON');
  const parsers = { id: parseIdOf('a key'), overlap: parseDuration };
  addSettings(command, rotateSettings).action(async (_id: string, { json }: { json?: true }) => {
    const config = settingsOf(command, rotateSettings, parsers);
    const { id, overlap: overlapMilliseconds } = config;
    await using database = await openExistingDatabase(config);
    const now = Date.now();
    const { text, outcome } = await storeNewKey(command, database, config, (key) =>
      database.write(background, 'rotateApiKey', { id, ...key, overlapMilliseconds, now }),
    );
    if ('refused' in outcome) {
      throw outcome.refused === 'no_such_key'
        ? noSuchKey(id)
        : new CliFailure(`Key ${id} is expired or revoked; create a new key instead`);
    }
    const { replaced, replacement } = outcome.ok;
    const endsAt = Math.max(apiKeyEnd(replaced), now);
    if (!json) {
      const valid = endsAt > now ? 'is valid until' : 'was valid until';
      print(`Key ${id} (${replaced.name}) ${valid} ${formatTime(endsAt)}.`);
    }
    const members = { replaces: id, replacedEndsAt: formatTime(endsAt) };
    printNewKey(replacement, text, json, members);
  });
}

function addRevokeCommand(keys: Command): void {
  const command = keys
    .command('revoke')
    .description('Revoke a key. Every server rejects it within a second.')
    .argument('<id>', 'id of the key')
    .option('--json', 'print JSON');
  addSettings(command, databaseSettings).action(async (_id: string, { json }: { json?: true }) => {
    const { id, ...config } = settingsOf(command, databaseSettings, { id: parseIdOf('a key') });
    await using database = await openExistingDatabase(config);
    const now = Date.now();
    const outcome = await database.write(background, 'revokeApiKey', { id, now });
    if ('refused' in outcome) throw noSuchKey(id);
    const { name, lastFour, revokedAt } = outcome.ok;
    const key = `${id} (${name}, last 4 ${lastFour})`;
    if (json) printJson(describeKey(outcome.ok, now));
    // The time of the first revocation stays.
    else print(revokedAt === now ? `Revoked key ${key}.` : `Key ${key} was already revoked.`);
  });
}
