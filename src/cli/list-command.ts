import type { Command } from 'commander';
import type { Workspace } from '../domain/access/workspace.ts';
import type { Reads } from '../domain/database/registry.ts';
import { noSuchWorkspace } from '../terminal/cli-failure.ts';
import { addSettings, settingsOf } from '../terminal/command-line.ts';
import {
  addListOptions,
  type ListOptions,
  type PagedList,
  printPages,
  readLimit,
} from '../terminal/list-pages.ts';
import { databaseSettings, openReader } from './open-database.ts';

/**
 * Makes a command list records from a database that it does not change. `parse` reads the command's own options, and returns a
 * function that prepares the list.
 */
export function addListAction<Options, Item, Place>(
  command: Command,
  parse: (
    options: Options,
    faults: string[],
  ) => (reads: Reads) => Promise<PagedList<Item, Place>> | PagedList<Item, Place>,
): void {
  addListOptions(command);
  addSettings(command, databaseSettings).action(async (options: Options & ListOptions) => {
    const faults: string[] = [];
    const limit = readLimit(options, faults);
    const prepare = parse(options, faults);
    await using reads = await openReader(settingsOf(command, databaseSettings, faults));
    await printPages(await prepare(reads), limit, options.json);
  });
}

export async function requireWorkspace(
  reads: Pick<Reads, 'findWorkspace'>,
  name: string,
): Promise<Workspace> {
  const workspace = await reads.findWorkspace(name);
  if (workspace === undefined) throw noSuchWorkspace(name);
  return workspace;
}
