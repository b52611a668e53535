import type { Command } from 'commander';
import { isSessionId } from '../../domain/access/console.ts';
import type { CommandWriter } from '../../domain/database/commands.ts';
import { echo } from '../../domain/echo.ts';
import { CliFailure } from '../../terminal/cli-failure.ts';
import { addSettings, settingsOf } from '../../terminal/command-line.ts';
import { confirm } from '../../terminal/confirm.ts';
import { pluralize, print } from '../../terminal/print.ts';
import { requireWorkspace } from '../list-command.ts';
import { databaseSettings, openExistingDatabase } from '../open-database.ts';

interface EndOptions {
  readonly all?: true;
  readonly workspace?: string;
  readonly yes?: true;
}

/** How many sessions one command ends, so that other writes do not wait long. */
const sessionsMax = 100;

export function addSessionsEndCommand(sessions: Command): void {
  const command = sessions
    .command('end')
    .description('End sessions of the console. Every server rejects them within a second.')
    .argument('[id...]', 'ids of the sessions')
    .option('--all', 'end all sessions')
    .option('--workspace <name>', 'with --all: only sessions that are in this workspace')
    .option('--yes', 'with --all: do not ask for confirmation');
  addSettings(command, databaseSettings).action(async (ids: string[], options: EndOptions) => {
    const config = settingsOf(command, databaseSettings, findFaults(ids, options));
    await using database = await openExistingDatabase(config);
    if (options.all === undefined) {
      const wanted = [...new Set(ids)];
      const ended = await endSessions(database, wanted);
      if (ended.length > 0) print(`Ended ${pluralize(ended.length, 'session')}.`);
      const missing = wanted.filter((id) => !ended.includes(id));
      if (missing.length === 0) return;
      throw new CliFailure(
        missing.map((id) => `Session ${id} does not exist; run sessions list to see the sessions`),
      );
    }
    const { workspace } = options;
    if (workspace !== undefined) await requireWorkspace(database, workspace);
    const all = { workspaceName: workspace, now: Date.now(), sessionsMax: Number.MAX_SAFE_INTEGER };
    const listed = await database.listConsoleSessions(all);
    const question = `End ${pluralize(listed.length, 'session')}? Type yes to confirm: `;
    if (options.yes === undefined && !(await confirm(question, 'yes'))) {
      throw new CliFailure('No session was ended');
    }
    const ended = await endSessions(
      database,
      listed.map(({ id }) => id),
    );
    print(`Ended ${pluralize(ended.length, 'session')}.`);
  });
}

function findFaults(ids: readonly string[], { all, workspace, yes }: EndOptions): string[] {
  const faults = ids
    .filter((id) => !isSessionId(id))
    .map((id) => `ID must be 16 hexadecimal digits, got ${echo(id)}`);
  if ((ids.length === 0) === (all === undefined)) faults.push('Pass either IDs or --all');
  if (workspace !== undefined && all === undefined) faults.push('--workspace needs --all');
  if (all !== undefined && yes === undefined && !process.stdin.isTTY) {
    faults.push('stdin is not a terminal; pass --yes');
  }
  return faults;
}

/** Returns the ids of the sessions that existed. */
async function endSessions(writer: CommandWriter, ids: readonly string[]): Promise<string[]> {
  const ended: string[] = [];
  for (let start = 0; start < ids.length; start += sessionsMax) {
    const sessions = ids.slice(start, start + sessionsMax);
    const { ok } = await writer.write('endConsoleSessions', { sessions, now: Date.now() });
    ended.push(...ok);
  }
  return ended;
}
