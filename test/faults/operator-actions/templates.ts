import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { addAnimal } from '../requests.ts';
import { look } from './disk.ts';
import { setNote } from './lives.ts';
import { runCommand, type Server, startServer } from './program.ts';
import { addRow, noRecords, type Records } from './records.ts';
import { keepCopies, takeSnapshot } from './snapshots.ts';
import { addBackup, addFile, trackLog, type World } from './world.ts';

/** Data that the program under test creates once. Sequences begin with a copy of it. */
export interface Templates {
  readonly folder: string;
  /** The records of the backup. */
  readonly early: Records;
  /** The records after SIGTERM. */
  readonly stopped: Records;
  /** The records after SIGKILL: `stopped` is in the file, the rest in its log. */
  readonly killed: Records;
}

const parts = ['', '-wal', '-shm', '.lock', '.lock-journal', '.life', '.reserve'] as const;

export async function makeTemplates(folder: string): Promise<Templates> {
  const start = async (name: string) => {
    const started = await startServer({ folder, database: `sqlite:${name}/a.db` });
    if (started.state !== 'ready')
      throw new Error(`The server is not ready: ${JSON.stringify(started)}`);
    return started.server;
  };
  const first = await start('stopped');
  const early = await add(first, noRecords, ['t1', 't2', 't3']);
  const backup = ['backup', 'early.db', '--database', 'sqlite:stopped/a.db'];
  const { exitCode, stderr } = await runCommand(backup, folder);
  if (exitCode !== 0) throw new Error(stderr);
  const stopped = await add(first, early, ['t4', 't5']);
  first.signal('SIGTERM');
  await first.ended();
  copyParts(join(folder, 'stopped'), join(folder, 'killed'));
  const second = await start('killed');
  const killed = await add(second, stopped, ['t6', 't7']);
  second.signal('SIGKILL');
  await second.ended();
  return { folder, early, stopped, killed };
}

async function add(server: Server, records: Records, names: readonly string[]): Promise<Records> {
  let all = records;
  for (const name of names) {
    const { httpStatus, body } = await addAnimal(server.origin, name);
    if (httpStatus !== 201) throw new Error(`A request for an animal got ${httpStatus}`);
    all = addRow(all, `pet ${body?.id}`, name);
  }
  return all;
}

function copyParts(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const part of parts) {
    if (existsSync(`${from}/a.db${part}`)) copyFileSync(`${from}/a.db${part}`, `${to}/a.db${part}`);
  }
}

/** Puts the data of a template, and a backup of its first records, into a world. */
export function useTemplate(world: World, templates: Templates, name: 'stopped' | 'killed'): void {
  const { folder, early } = templates;
  for (const end of ['', '.json']) {
    copyFileSync(join(folder, `early.db${end}`), join(world.outer, 'backups', `0.db${end}`));
  }
  addBackup(world, early);
  copyParts(join(folder, name), join(world.folder, 'd1'));
  const path = join(world.folder, 'd1/a.db');
  const data = addFile(world, path, {
    base: templates.stopped,
    full: templates[name],
    log: trackLog(world, `${path}-wal`),
    isMarked: name === 'killed',
  });
  setNote(world, path, data);
  for (const row of templates[name].given) world.given.add(row);
  world.hadData.add(look(path).real);
  world.steps.push(
    name === 'stopped'
      ? 'd1/a.db holds pets 1 to 5, its server was stopped; ../backups/0.db holds pets 1 to 3'
      : 'd1/a.db holds pets 1 to 5 and its log pets 6 and 7, its server was killed; ../backups/0.db holds pets 1 to 3',
  );
  takeSnapshot(world, 'd1');
  keepCopies(world, 'd1/a.db', ['', '-wal', '-shm', '.lock', '.life']);
}
