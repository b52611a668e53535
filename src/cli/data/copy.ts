import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { pluralize } from '../../domain/values/pluralize.ts';
import { settings } from '../../ops/config.ts';
import type { DatabaseLocation } from '../../ops/setting-values.ts';
import type { TableComparison } from '../../storage/copies/compare.ts';
import { copyDatabase } from '../../storage/copies/copy-database.ts';
import { CliFailure, misused } from '../../terminal/cli-failure.ts';
import { addSettings, settingsOf } from '../../terminal/command-line.ts';
import { print, printJson, printNote, printTable } from '../../terminal/print.ts';
import { startProgress } from '../../terminal/progress.ts';
import { checkPath, openCopySource, openCopyTarget } from '../open-database.ts';
import { printPausedWebhooks } from './paused-webhooks.ts';

const help = `
Stop the servers of both databases first. Start them on the target after the copy. The copy has all animals, categories,
orders, events, workspaces, keys, webhooks, responses stored under an Idempotency-Key, counts of deprecated calls, the audit
trail, and the id counters. Its webhooks are paused. It has no sessions of the console. At the end the command reads both databases and compares
them row by row. It fails if the source changed during the copy. It does not change the source.

To continue an interrupted copy, run the same command again. Until the copy is complete, no server opens the target.

Other users of the machine can read a command line: leave the password out of the URL, and set PGPASSWORD.`;

export function addCopyCommand(program: Command): void {
  const command = program
    .command('copy')
    .description('Copy all data to an empty database, on SQLite or PostgreSQL.')
    .requiredOption(
      '--from <url>',
      'database to copy: sqlite:PATH or postgres://USER@HOST:PORT/NAME',
    )
    .requiredOption(
      '--to <url>',
      'empty database to copy to; a missing SQLite file or missing tables are created',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', help);
  addSettings(command, ['durability', 'allowDataLoss']).action(
    async ({ json }: { json?: true }) => {
      const { parse } = settings.database;
      const parsers = { from: parse, to: parse };
      const { from, to, ...config } = settingsOf(command, ['durability', 'allowDataLoss'], parsers);
      if (isSameDatabase(from, to)) throw misused('--from and --to must be different databases');

      // Both, before the first is opened.
      for (const location of [from, to]) await checkPath(location);
      await using source = await openCopySource(from);
      await using target = await openCopyTarget(to, config);
      const show = json ? printNote : print;
      const { tables, different, wasComplete, pausedWebhooks } = await copyDatabase(
        source,
        target,
        {
          onContinue: (rows) => show(`Continuing after ${pluralize(rows, 'row')}.`),
          start: startProgress,
        },
      );
      if (json)
        printJson({ isIdentical: different.length === 0, wasComplete, tables, pausedWebhooks });
      else printComparison(tables);
      if (different.length > 0) {
        throw new CliFailure(
          `The copy differs from its source in ${different.join(', ')}: stop all writers of both databases, empty the target and start again`,
        );
      }
      if (json) return;
      print(
        wasComplete
          ? 'The target is already a complete copy, identical to the source.'
          : 'The copy is complete and identical to the source.',
      );
      printPausedWebhooks(pausedWebhooks);
    },
  );
}

function isSameDatabase(from: DatabaseLocation, to: DatabaseLocation): boolean {
  if (from.engine === 'sqlite' && to.engine === 'sqlite') {
    return realPath(from.path) === realPath(to.path);
  }
  return from.engine === 'postgres' && to.engine === 'postgres' && from.url === to.url;
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The file does not exist yet.
    return resolve(path);
  }
}

function printComparison(tables: readonly TableComparison[]): void {
  printTable(
    ['TABLE', 'ROWS', 'SHA-256'],
    tables.map(({ table, source, target }) => [
      table,
      describeDifference(String(source.rowCount), String(target.rowCount)),
      describeDifference(source.checksum, target.checksum),
    ]),
  );
}

function describeDifference(inSource: string, inTarget: string): string {
  return inSource === inTarget ? inSource : `${inSource}, copied ${inTarget}`;
}
