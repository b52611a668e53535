import type { Command } from 'commander';
import { type ApiKey, apiKeyEnd, apiKeyState } from '../../domain/access/api-key.ts';
import { formatRateLimit } from '../../domain/access/rate-limit.ts';
import { noSuchWorkspace } from '../../terminal/cli-failure.ts';
import { addSettings, jsonOption, settingsOf } from '../../terminal/command-line.ts';
import {
  addListOptions,
  type ListOptions,
  printPages,
  readBefore,
  readLimit,
} from '../../terminal/list-pages.ts';
import { formatMinute, formatTime, jsonPrinter, tablePrinter } from '../../terminal/print.ts';
import { databaseSettings, openReader } from '../open-database.ts';
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
      'List keys, newest first, including expired and revoked ones. The keys themselves are not stored and cannot be shown. Servers record use once a minute.',
    )
    .option('--workspace <name>', 'only keys of this workspace')
    .option('--before <id>', 'only keys that were created before this one')
    .addOption(jsonOption());
  addListOptions(command);
  addSettings(command, databaseSettings).action(
    async (options: ListOptions & { workspace?: string; before?: string }) => {
      const faults: string[] = [];
      const limit = readLimit(options, faults);
      const before = readBefore(options.before, 'a key', faults);
      const { workspace: name, json } = options;
      await using reads = await openReader(settingsOf(command, databaseSettings, faults));
      const workspace = name === undefined ? undefined : await reads.findWorkspace(name);
      if (name !== undefined && workspace === undefined) throw noSuchWorkspace(name);
      const now = Date.now();
      const toJson = (apiKey: ApiKey) => describeKey(apiKey, now);
      const printer = json
        ? jsonPrinter(toJson)
        : tablePrinter(headings, (apiKey: ApiKey) => toRow(apiKey, now));
      await printPages(
        {
          async readPage(count, belowId) {
            const page = await reads.listApiKeys({ limit: count, belowId }, workspace?.id);
            return { items: page.items, next: page.nextBelowId };
          },
          moreText: (id) => `There are older keys. Add --before ${id} to list them`,
        },
        printer,
        limit,
        before,
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
    ? `until ${formatTime(apiKeyEnd(apiKey))}`
    : state;
}
