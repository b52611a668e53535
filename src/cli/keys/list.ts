import type { Command } from 'commander';
import { type ApiKey, apiKeyEnd, apiKeyState } from '../../domain/access/api-key.ts';
import { formatRateLimit } from '../../domain/access/rate-limit.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import { readBefore } from '../../terminal/list-pages.ts';
import { formatMinute, formatTime } from '../../terminal/print.ts';
import { addListAction, requireWorkspace } from '../list-command.ts';
import { describeKey } from './key.ts';

const headings = 'ID,NAME,WORKSPACE,LAST 4,SCOPES,LIMIT,STATE,CREATED,LAST USED,EXPIRES'.split(',');

interface Options {
  readonly workspace?: string;
  readonly before?: string;
}

export function addKeysListCommand(keys: Command): void {
  const command = keys
    .command('list')
    .description(
      'List keys, newest first, including expired and revoked ones. The keys themselves are not stored and cannot be shown. Servers record use once a minute.',
    )
    .option('--workspace <name>', 'only keys of this workspace')
    .option('--before <id>', 'only keys that were created before this one');
  addListAction<Options, ApiKey, Int64>(command, ({ workspace: name, before }, faults) => {
    const first = readBefore(before, 'a key', faults);
    return async (reads) => {
      const workspace = name === undefined ? undefined : await requireWorkspace(reads, name);
      const now = Date.now();
      return {
        headings,
        toRow: (apiKey) => toRow(apiKey, now),
        toJson: (apiKey) => describeKey(apiKey, now),
        first,
        async readPage(limit, belowId) {
          const page = await reads.listApiKeys({ limit, belowId }, workspace?.id);
          return { items: page.items, next: page.nextBelowId };
        },
        moreText: (id) => `The list has older keys. Add --before ${id} to list them`,
      };
    };
  });
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
