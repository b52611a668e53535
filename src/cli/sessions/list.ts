import type { Command } from 'commander';
import type { ListedConsoleSession } from '../../domain/access/console.ts';
import { noSuchWorkspace } from '../../terminal/cli-failure.ts';
import { addSettings, jsonOption, settingsOf } from '../../terminal/command-line.ts';
import {
  addListOptions,
  type ListOptions,
  printPages,
  readLimit,
} from '../../terminal/list-pages.ts';
import { formatTime, jsonPrinter, tablePrinter } from '../../terminal/print.ts';
import { databaseSettings, openReader } from '../open-database.ts';

const headings = ['ID', 'SIGNED IN AS', 'WORKSPACE', 'SIGNED IN', 'LAST ACTION', 'ENDS'];

export function addSessionsListCommand(sessions: Command): void {
  const command = sessions
    .command('list')
    .description('List the sessions of the console that have not ended, newest first.')
    .option('--workspace <name>', 'only sessions that are in this workspace')
    .addOption(jsonOption());
  addListOptions(command);
  addSettings(command, databaseSettings).action(
    async (options: ListOptions & { workspace?: string }) => {
      const faults: string[] = [];
      const limit = readLimit(options, faults);
      const { workspace: workspaceName, json } = options;
      await using reads = await openReader(settingsOf(command, databaseSettings, faults));
      if (workspaceName !== undefined && !(await reads.findWorkspace(workspaceName))) {
        throw noSuchWorkspace(workspaceName);
      }
      const now = Date.now();
      const printer = json ? jsonPrinter(describeSession) : tablePrinter(headings, toRow);
      await printPages(
        {
          async readPage(count, after: ListedConsoleSession | undefined) {
            const filter = { workspaceName, now, sessionsMax: count + 1, after };
            const found = await reads.listConsoleSessions(filter);
            const items = found.slice(0, count);
            return { items, next: found.length > count ? items.at(-1) : undefined };
          },
          moreText: () => 'There are older sessions. Add a larger --limit',
        },
        printer,
        limit,
        undefined,
      );
    },
  );
}

function describeSession(session: ListedConsoleSession) {
  const { id, workspaceName, apiKey, signedInAt, lastActiveAt, expiresAt } = session;
  return {
    id,
    kind: apiKey === undefined ? 'owner' : 'api_key',
    apiKeyId: apiKey?.id ?? null,
    apiKeyName: apiKey?.name ?? null,
    workspace: workspaceName,
    signedInAt: formatTime(signedInAt),
    lastActiveAt: formatTime(lastActiveAt),
    expiresAt: formatTime(expiresAt),
  };
}

function toRow(session: ListedConsoleSession): readonly string[] {
  const { id, workspaceName, apiKey, signedInAt, lastActiveAt, expiresAt } = session;
  const signedInAs =
    apiKey === undefined ? 'owner' : `key ${apiKey.id} (${apiKey.name ?? 'ANIMAL_STORE_API_KEY'})`;
  return [
    id,
    signedInAs,
    workspaceName,
    formatTime(signedInAt),
    formatTime(lastActiveAt),
    formatTime(expiresAt),
  ];
}
