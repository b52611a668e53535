import type { Command } from 'commander';
import { settings } from '../ops/config.ts';
import { addSettings, settingsOf } from '../terminal/command-line.ts';
import { formatTime, printJson, printTable } from '../terminal/print.ts';
import { databaseSettings, openReader } from './open-database.ts';

export function addDeprecatedCallsCommand(program: Command): void {
  const command = program
    .command('deprecated-calls')
    .description(
      'List the keys that call a deprecated operation, latest call first. Servers record calls once a minute.',
    )
    .option('--json', 'print JSON');
  addSettings(command, databaseSettings).action(async (options: { json?: true }) => {
    await using reads = await openReader(settingsOf(command, databaseSettings));
    const calls = (await reads.listDeprecatedCalls()).map((call) => ({
      apiKeyId: call.apiKeyId,
      // The operator's own key is not stored, so its name is the variable that sets it.
      name: call.apiKeyName ?? settings.apiKey.variable,
      workspace: call.workspaceName,
      operation: call.operationId,
      count: call.count,
      lastCalledAt: formatTime(call.lastCalledAt),
    }));
    if (options.json) {
      printJson(calls);
    } else {
      printTable(
        ['KEY', 'NAME', 'WORKSPACE', 'OPERATION', 'CALLS', 'LAST CALL'],
        calls.map((call) => Object.values(call).map(String)),
      );
    }
  });
}
