import type { Command } from 'commander';
import { background } from '../context/context.ts';
import {
  endedSessionsMax,
  isSessionId,
  type ListedConsoleSession as Session,
} from '../domain/access/console-session.ts';
import { echo } from '../domain/echo.ts';
import { pluralize } from '../domain/values/pluralize.ts';
import { settings } from '../ops/config.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import type { Reads } from '../storage/contract/reads-and-commands.ts';
import { confirm, requireTerminal } from '../terminal/ask.ts';
import { CliFailure } from '../terminal/cli-failure.ts';
import { addSettings, settingsOf } from '../terminal/command-line.ts';
import { formatTime, print } from '../terminal/print.ts';
import { addListAction, optionalText, readAllPages } from './list-command.ts';
import { databaseSettings, openExistingDatabase } from './open-database.ts';
import { findIfNamed } from './require-workspace.ts';

export function addSessionsCommands(program: Command): void {
  const sessions = program
    .command('sessions')
    .description('List and end sessions of the console, also while the server runs.');
  addListCommand(sessions);
  addEndCommand(sessions);
}

function addListCommand(sessions: Command): void {
  const command = sessions
    .command('list')
    .description('List the sessions of the console that have not ended, newest first.')
    .option('--workspace <name>', 'only sessions of the keys of this workspace');
  addListAction(command, { workspace: optionalText }, async (reads, { workspace }) => {
    await findIfNamed(reads, workspace);
    const now = Date.now();
    return {
      headings: ['ID', 'SIGNED IN AS', 'WORKSPACE', 'SIGNED IN', 'LAST ACTION', 'ENDS'],
      toRow,
      toJson,
      readPage: readSessions(reads, workspace, now),
      moreText: () => 'The list has older sessions. Add a larger --limit',
    };
  });
}

function readSessions(
  reads: Pick<Reads, 'listConsoleSessions'>,
  workspaceName: string | undefined,
  now: number,
) {
  const of = { whose: 'all', workspaceName } as const;
  return (limit: number, after: Session | undefined) =>
    reads.listConsoleSessions(background, { of, now, limit, after });
}

function toJson({ id, workspaceName, apiKey, ...times }: Session) {
  return {
    id,
    kind: apiKey === undefined ? 'owner' : 'api_key',
    apiKeyId: apiKey?.id ?? null,
    apiKeyName: apiKey?.name ?? null,
    workspace: workspaceName ?? null,
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
  return [id, signedInAs, workspace ?? '-', signedInAt, lastActiveAt, expiresAt];
}

interface EndOptions {
  readonly all?: true;
  readonly workspace?: string;
  readonly yes?: true;
}

function addEndCommand(sessions: Command): void {
  const command = sessions
    .command('end')
    .description('End sessions of the console. Every server rejects them within a second.')
    .argument('[id...]', 'ids of the sessions')
    .option('--all', 'end all sessions')
    .option('--workspace <name>', 'with --all: only sessions of the keys of this workspace')
    .option('--yes', 'with --all: do not ask for confirmation');
  addSettings(command, databaseSettings).action(async (ids: string[], options: EndOptions) => {
    const config = settingsOf(command, databaseSettings, {}, findFaults(ids, options));
    await using database = await openExistingDatabase(config);
    const { all, workspace, yes } = options;
    const wanted = [...new Set(ids)];
    const now = Date.now();
    if (all) {
      await findIfNamed(database, workspace);
      requireTerminal(yes);
      const pages = () => readAllPages(readSessions(database, workspace, now));
      if (!yes && !(await confirmEnd(pages()))) throw new CliFailure('No session was ended');
      let count = 0;
      for await (const page of pages()) count += (await endSessions(database, page)).length;
      print(`Ended ${pluralize(count, 'session')}.`);
      return;
    }
    const each = wanted.map((id) =>
      database.listConsoleSessions(background, { of: { whose: 'id', id }, now, limit: 1 }),
    );
    const found = (await Promise.all(each)).flatMap(({ items }) => items);
    const ended = await endSessions(database, found);
    if (ended.length > 0) print(`Ended ${pluralize(ended.length, 'session')}.`);
    const missing = wanted.filter((id) => !ended.includes(id));
    if (missing.length === 0) return;
    throw new CliFailure(
      missing.map((id) => `Session ${id} does not exist; run sessions list to see the sessions`),
    );
  });
}

async function confirmEnd(pages: AsyncIterable<readonly Session[]>): Promise<boolean> {
  let count = 0;
  for await (const page of pages) count += page.length;
  return confirm(`End ${pluralize(count, 'session')}? Type yes to confirm: `, 'yes');
}

function findFaults(ids: readonly string[], { all, workspace }: EndOptions): string[] {
  const faults = ids
    .filter((id) => !isSessionId(id))
    .map((id) => `ID must be 16 hexadecimal digits, got ${echo(id)}`);
  if ((ids.length === 0) === (all === undefined)) faults.push('Pass either IDs or --all');
  if (workspace !== undefined && all === undefined) faults.push('--workspace needs --all');
  return faults;
}

/** Returns the ids of the sessions that existed. */
async function endSessions(writer: CommandWriter, sessions: readonly Session[]): Promise<string[]> {
  const ended: string[] = [];
  for (let start = 0; start < sessions.length; start += endedSessionsMax) {
    const digests = sessions.slice(start, start + endedSessionsMax).map(({ digest }) => digest);
    const { ok } = await writer.write(background, 'endConsoleSessions', {
      digests,
      now: Date.now(),
    });
    ended.push(...ok);
  }
  return ended;
}
