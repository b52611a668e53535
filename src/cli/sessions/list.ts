import type { Command } from 'commander';
import type { ListedConsoleSession } from '../../domain/console.ts';
import { echo } from '../../domain/error.ts';
import { addSettings, jsonOption, settingsOf } from '../command-line.ts';
import { databaseSettings, openReader } from '../open-database.ts';
import { counted, formatTime, printJson, printTable } from '../print.ts';
import { noSuchWorkspace } from '../workspaces/no-such-workspace.ts';

interface ListOptions {
  readonly workspace?: string;
  readonly limit: string;
  readonly json?: true;
}

export function addSessionsListCommand(sessions: Command): void {
  const command = sessions
    .command('list')
    .description('List the sessions of the console that have not ended, newest first.')
    .option('--workspace <name>', 'only sessions that are in this workspace')
    .option('--limit <count>', 'how many to list at most', '100')
    .addOption(jsonOption());
  addSettings(command, databaseSettings).action(async ({ workspace, limit, json }: ListOptions) => {
    const faults: string[] = [];
    const sessionsMax = parseLimit(limit, faults);
    await using reads = await openReader(settingsOf(command, databaseSettings, faults));
    if (workspace !== undefined && (await reads.findWorkspace(workspace)) === undefined) {
      throw noSuchWorkspace(workspace);
    }
    const now = Date.now();
    const listed = await reads.listConsoleSessions({ workspaceName: workspace, now, sessionsMax });
    const count = await reads.countConsoleSessions({ workspaceName: workspace, now });
    if (json) printJson(listed.map(describeSession));
    else {
      printTable(['ID', 'SIGNED IN AS', 'WORKSPACE', 'SIGNED IN', 'ENDS'], listed.map(toRow));
    }
    const more = count - listed.length;
    if (more > 0) {
      process.stderr.write(`${counted(more, 'more session')}; a larger --limit lists more.\n`);
    }
  });
}

function parseLimit(text: string, faults: string[]): number {
  const limit = /^[1-9][0-9]{0,5}$/.test(text) ? Number(text) : 0;
  if (limit === 0)
    faults.push(`--limit must be a whole number from 1 to 999999, got ${echo(text)}`);
  return limit;
}

function describeSession(session: ListedConsoleSession) {
  const { id, workspaceName, apiKey, signedInAt, expiresAt } = session;
  return {
    id,
    kind: apiKey === undefined ? 'owner' : 'api_key',
    apiKeyId: apiKey?.id ?? null,
    apiKeyName: apiKey?.name ?? null,
    workspace: workspaceName,
    signedInAt: formatTime(signedInAt),
    expiresAt: formatTime(expiresAt),
  };
}

function toRow(session: ListedConsoleSession): readonly string[] {
  const { id, workspaceName, apiKey, signedInAt, expiresAt } = session;
  const signedInAs =
    apiKey === undefined ? 'owner' : `key ${apiKey.id} (${apiKey.name ?? 'ANIMAL_STORE_API_KEY'})`;
  return [id, signedInAs, workspaceName, formatTime(signedInAt), formatTime(expiresAt)];
}
