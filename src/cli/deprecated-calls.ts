import { type Command, Option } from 'commander';
import { defaultWorkspaceName } from '../domain/workspace.ts';
import { settings } from '../ops/config.ts';
import { addSettings, settingsOf } from './command-line.ts';
import { databaseSettings, openExistingDatabase } from './open-database.ts';
import { formatTime, printJson, printTable } from './print.ts';

/** What the lists call the one key that is stored nowhere. */
const operatorApiKey = { name: settings.apiKey.variable, workspaceName: defaultWorkspaceName };

export function addDeprecatedCallsCommand(program: Command): void {
  const command = program
    .command('deprecated-calls')
    .description(
      'List who still calls an operation that is going away, the latest first. A server tells of calls once a minute.',
    )
    .addOption(new Option('--json', 'print JSON, for scripts'));
  addSettings(command, databaseSettings).action(async (options: { json?: true }) => {
    await using database = await openExistingDatabase(settingsOf(command, databaseSettings));
    const calls = (await database.listDeprecatedCalls()).map(
      ({ apiKeyId, apiKey = operatorApiKey, operationId, count, lastCalledAt }) => ({
        apiKeyId,
        name: apiKey.name,
        workspace: apiKey.workspaceName,
        operation: operationId,
        count,
        lastCalledAt: formatTime(lastCalledAt),
      }),
    );
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
