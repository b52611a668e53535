import type { Command } from 'commander';
import { type ApiKey, apiKeyState } from '../../domain/api-key.ts';
import { formatRateLimit } from '../../domain/rate-limit.ts';
import { addSettings, jsonOption, settingsOf } from '../command-line.ts';
import { databaseSettings, openReader } from '../open-database.ts';
import { formatMinute, formatTime, printJson, printTable } from '../print.ts';
import { noSuchWorkspace } from '../workspaces/no-such-workspace.ts';
import { describeKey } from './print-key.ts';

const headings = [
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
];

export function addKeysListCommand(keys: Command): void {
  const command = keys
    .command('list')
    .description(
      'List all keys, including expired and revoked ones. The keys themselves are not stored and cannot be shown. Servers record use once a minute.',
    )
    .option('--workspace <name>', 'only keys of this workspace')
    .addOption(jsonOption());
  addSettings(command, databaseSettings).action(
    async ({ workspace, json }: { workspace?: string; json?: true }) => {
      await using reads = await openReader(settingsOf(command, databaseSettings));
      if (workspace !== undefined && (await reads.findWorkspace(workspace)) === undefined) {
        throw noSuchWorkspace(workspace);
      }
      const apiKeys = await reads.listApiKeys(workspace);
      const now = Date.now();
      if (json) printJson(apiKeys.map((apiKey) => describeKey(apiKey, now)));
      else
        printTable(
          headings,
          apiKeys.map((apiKey) => toRow(apiKey, now)),
        );
    },
  );
}

function toRow(apiKey: ApiKey, now: number): readonly string[] {
  return [
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
  ];
}

function stateText(apiKey: ApiKey, now: number): string {
  const state = apiKeyState(apiKey, now);
  return state === 'active' && apiKey.revokedAt !== undefined
    ? `until ${formatTime(apiKey.revokedAt)}`
    : state;
}
