import type { Command } from 'commander';
import type { ListedConsoleSession as Session } from '../../domain/access/console.ts';
import { settings } from '../../ops/config.ts';
import { formatTime } from '../../terminal/print.ts';
import { addListAction, requireWorkspace } from '../list-command.ts';

interface Options {
  readonly workspace?: string;
}

export function addSessionsListCommand(sessions: Command): void {
  const command = sessions
    .command('list')
    .description('List the sessions of the console that have not ended, newest first.')
    .option('--workspace <name>', 'only sessions that are in this workspace');
  addListAction<Options, Session, Session>(command, ({ workspace }) => async (reads) => {
    if (workspace !== undefined) await requireWorkspace(reads, workspace);
    const now = Date.now();
    return {
      headings: ['ID', 'SIGNED IN AS', 'WORKSPACE', 'SIGNED IN', 'LAST ACTION', 'ENDS'],
      toRow,
      toJson,
      async readPage(count, after) {
        const filter = { workspaceName: workspace, now, sessionsMax: count + 1, after };
        const found = await reads.listConsoleSessions(filter);
        const items = found.slice(0, count);
        return { items, next: found.length > count ? items.at(-1) : undefined };
      },
      moreText: () => 'The list has older sessions. Add a larger --limit',
    };
  });
}

function toJson({ id, workspaceName, apiKey, ...times }: Session) {
  return {
    id,
    kind: apiKey === undefined ? 'owner' : 'api_key',
    apiKeyId: apiKey?.id ?? null,
    apiKeyName: apiKey?.name ?? null,
    workspace: workspaceName,
    signedInAt: formatTime(times.signedInAt),
    lastActiveAt: formatTime(times.lastActiveAt),
    expiresAt: formatTime(times.expiresAt),
  };
}

function toRow(session: Session): readonly string[] {
  const { apiKey } = session;
  const { id, workspace, signedInAt, lastActiveAt, expiresAt } = toJson(session);
  const signedInAs =
    apiKey === undefined
      ? 'owner'
      : `key ${apiKey.id} (${apiKey.name ?? settings.apiKey.variable})`;
  return [id, signedInAs, workspace, signedInAt, lastActiveAt, expiresAt];
}
