import type { Command } from 'commander';
import { type ApiKey, apiKeyState } from '../../domain/access/api-key.ts';
import { formatRateLimit } from '../../domain/access/rate-limit.ts';
import type { CommandWriter } from '../../domain/database/commands.ts';
import { echo } from '../../domain/echo.ts';
import { type Int64, parseInt64 } from '../../domain/values/int64.ts';
import { newApiKey } from '../../http/access/new-api-key.ts';
import type { Config } from '../../ops/config.ts';
import { claimEnvironment } from '../../server/claim-environment.ts';
import { storedApiKey } from '../../server/new-api-key.ts';
import { CliFailure } from '../../terminal/cli-failure.ts';
import { isGiven } from '../../terminal/command-line.ts';
import { formatTime, print, printJson } from '../../terminal/print.ts';

/** The id of a key, or 0, which no key has, and a fault. */
export function parseKeyId(text: string, faults: string[]): Int64 {
  const id = parseInt64(text) ?? 0n;
  if (id >= 1n) return id;
  faults.push(`ID must be the number of a key, got ${echo(text)}`);
  return 0n;
}

export function noSuchKey(id: Int64): CliFailure {
  return new CliFailure(`Key ${id} does not exist; run keys list to see the keys`);
}

/** Makes a key for the environment of the data, and stores it by `write`. Returns its text too. */
export async function storeNewKey<Outcome>(
  command: Command,
  writer: CommandWriter,
  config: Config<'environment'>,
  write: (key: { readonly digest: string; readonly lastFour: string }) => Promise<Outcome>,
): Promise<{ readonly text: string; readonly outcome: Outcome }> {
  const wasAskedFor = isGiven(command, 'environment');
  const environment = await claimEnvironment(writer, config.environment, wasAskedFor);
  const { text, digest, lastFour } = newApiKey(environment);
  return { text, outcome: await storedApiKey(text, write({ digest, lastFour })) };
}

/** Prints a new key with its text, which is not stored and cannot be printed again. */
export function printNewKey(
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

/** A key as JSON for scripts. */
export function describeKey(apiKey: ApiKey, now: number) {
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
