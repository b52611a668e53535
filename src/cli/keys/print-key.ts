import { type ApiKey, apiKeyState } from '../../domain/access/api-key.ts';
import { formatRateLimit } from '../../domain/access/rate-limit.ts';
import { formatTime, print, printJson } from '../../terminal/print.ts';

/** Prints a key that was just made, with its text, this once. */
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
