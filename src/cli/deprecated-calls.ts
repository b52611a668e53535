import type { Command } from 'commander';
import { background } from '../context/context.ts';
import type { DeprecatedCalls } from '../domain/access/api-key.ts';
import { settings } from '../ops/config.ts';
import { formatTime } from '../terminal/print.ts';
import { addListAction } from './list-command.ts';

export function addDeprecatedCallsCommand(program: Command): void {
  const command = program
    .command('deprecated-calls')
    .description(
      'List the keys that call a deprecated operation, latest call first. Servers record calls once a minute.',
    );
  addListAction(command, {}, (reads) => ({
    headings: ['KEY', 'NAME', 'WORKSPACE', 'OPERATION', 'CALLS', 'LAST CALL'],
    toRow: (calls: DeprecatedCalls) => Object.values(toJson(calls)).map(String),
    toJson,
    readPage: (limit: number, after?: DeprecatedCalls) =>
      reads.listDeprecatedCalls(background, limit, after),
    moreText: () => 'The list has more keys. Add a larger --limit',
  }));
}

function toJson(calls: DeprecatedCalls) {
  return {
    apiKeyId: calls.apiKeyId,
    // The operator's own key is not stored, so its name is the variable that sets it.
    name: calls.apiKeyName ?? settings.apiKey.variable,
    workspace: calls.workspaceName,
    operation: calls.operationId,
    count: calls.count,
    lastCalledAt: formatTime(calls.lastCalledAt),
  };
}
