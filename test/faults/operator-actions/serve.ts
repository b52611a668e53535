import { join } from 'node:path';
import type { CreateData } from './actions.ts';
import {
  type Approach,
  approach,
  excuse,
  observe,
  obstacle,
  settle,
  settleEnded,
} from './approach.ts';
import { isGone, look } from './disk.ts';
import { checkPromise, setNote } from './lives.ts';
import { finishOverwritten, isEndAllowed, isUntouched, textOfEnd } from './overwritten.ts';
import { startServer } from './program.ts';
import { readAll } from './read-all.ts';
import { noRecords } from './records.ts';
import { addFile, addResult, Finding, type RunningServer, step, type World } from './world.ts';

export async function serve(
  world: World,
  path: string,
  createData: CreateData = 'auto',
): Promise<RunningServer | undefined> {
  const { folder } = world;
  const args = createData === 'auto' ? [] : ['--create-data', createData];
  step(world, ['animal-store serve --database', `sqlite:${path}`, ...args, '&'].join(' '));
  const before = approach(world, path);
  const started = await startServer({ folder, database: `sqlite:${path}`, args });
  if (started.state === 'hangs') throw new Finding('hang', 'the server is neither ready nor ends');
  if (started.state === 'ended') {
    addResult(world, `${started.exit}: ${started.stderr}`);
    checkOrphan(world, before, {
      creates: true,
      succeeded: false,
      message: started.stderr,
      createData,
    });
    const mayFail = before.served.length > 0 || isLockHeld(world, before);
    if (before.data !== undefined && !mayFail && excuse(world, before) === undefined) {
      throw new Finding(
        before.data.isRestored ? 'damaged-after-restore' : 'refused',
        `the server ends, although the data is sound: ${started.stderr.trim()}`,
      );
    }
    if (obstacle(world, before) === undefined) checkRefusal(started);
    settleRefused(world, before);
    return undefined;
  }
  const { server } = started;
  const opened = look(join(folder, path));
  const data = before.data ?? addFile(world, opened.real, { base: noRecords, full: noRecords });
  const running: RunningServer = { server, data, opened, overwritten: undefined };
  world.servers.push(running);
  const all = await readAll(server.origin);
  addResult(
    world,
    'rows' in all
      ? `ready, 200 ${[...all.rows.keys()].join(', ') || '[]'}`
      : `ready, ${all.httpStatus}`,
  );
  checkOrphan(world, before, { creates: true, succeeded: true, message: '', createData });
  checkAlone(before, running);
  if (before.data === undefined) checkNew(before, createData);
  if (before.data !== undefined && before.served.length === 0) {
    const rows = 'rows' in all ? all.rows : undefined;
    checkPromise(
      before.note,
      rows,
      `a server starts on a file of which ${opened.real}.life knows more`,
    );
  }
  settleStarted(world, before, running);
  if ('rows' in all) observe(world, data, all.rows);
  else if (data.ruinedBy === undefined) {
    const kind = data.isRestored ? 'damaged-after-restore' : 'lost-records';
    throw new Finding(all.timedOut ? 'hang' : kind, `a list gets ${all.httpStatus}`);
  }
  return running;
}

/** A lock that was moved here while a server holds it. */
export function isLockHeld({ servers }: World, { view }: Approach): boolean {
  return view.lock !== undefined && servers.some(({ opened }) => opened.lock === view.lock);
}

function settleStarted(world: World, before: Approach, { data, opened }: RunningServer): void {
  if (before.data === undefined) {
    const fresh = { ...before, data, view: { ...before.view, log: undefined } };
    settle(world, fresh);
  } else settle(world, before);
  world.hadData.add(opened.real);
  data.isMarked = true;
  data.touchedBy = undefined;
  setNote(world, opened.real, data);
}

/** A program that refuses a file ends with 1 and one line, and has changed nothing. */
function checkRefusal({ exit, stderr }: { readonly exit: number | string; stderr: string }): void {
  if (exit === 1 && /^animal-store: [^\n]+\n$/.test(stderr)) return;
  throw new Finding('bad-refusal', `the server ends with ${exit}: ${stderr}`);
}

/** After a program that failed. If the log was elsewhere, it can still be moved back. */
export function settleRefused(world: World, before: Approach): void {
  const { data, view } = before;
  if (view.log === data?.log?.key) settleCommand(world, before);
}

/** After a command. If it was the last process that closed the file, the log is in the file, and the mark is cleared. */
export function settleCommand(world: World, before: Approach): void {
  const { data, view, served } = before;
  const hadLog = view.logBytes > 0 && view.log === data?.log?.key;
  const hasReadLog = settle(world, before).logBytes === 0 && hadLog;
  if (data !== undefined && hasReadLog && served.length === 0) data.isMarked = false;
}

function checkAlone({ served }: Approach, { opened }: RunningServer): void {
  const [other] = served.filter(isUntouched);
  if (other === undefined) return;
  const isSamePath = other.opened.real === opened.real;
  throw new Finding(
    isSamePath ? 'two-servers by one path' : 'two-servers by two paths',
    `two servers serve one file: as ${other.opened.real} and as ${opened.real}`,
  );
}

function checkNew({ wasHere }: Approach, createData: CreateData): void {
  if (createData === 'never') {
    throw new Finding('empty-shop', 'new data is served with --create-data never');
  }
  if (wasHere && createData !== 'always') {
    throw new Finding('empty-shop', 'an empty database replaces lost data');
  }
}

export interface Outcome {
  /** Whether the command may create data. */
  readonly creates: boolean;
  readonly succeeded: boolean;
  readonly message: string;
  readonly createData: CreateData;
}

/** Checks what a command did with a log whose file is missing. */
export function checkOrphan(
  world: World,
  before: Approach,
  { creates, succeeded, message, createData }: Outcome,
): void {
  const { orphan, view } = before;
  if (orphan === undefined) return;
  if (isGone(orphan)) {
    throw new Finding(
      'silent-orphan-log',
      `${view.real}-wal was deleted, with its acknowledged records`,
    );
  }
  if (!creates) return;
  if (succeeded && createData !== 'always') {
    throw new Finding('silent-orphan-log', `new data was created beside ${view.real}-wal`);
  }
  const mustSay = !succeeded && createData === 'auto';
  if (mustSay && excuse(world, before) === undefined && !message.includes('-wal')) {
    throw new Finding('silent-orphan-log', `the message does not name ${view.real}-wal`);
  }
}

function forget(world: World, running: RunningServer): void {
  world.servers.splice(world.servers.indexOf(running), 1);
}

/** Servers must end if their file, log or index was moved away or lost records, and only then. */
export async function watchServers(world: World): Promise<void> {
  for (const running of [...world.servers]) {
    const { server, opened, overwritten } = running;
    const now = look(opened.real);
    const isLost = now.file !== opened.file || now.log !== opened.log || now.index !== opened.index;
    const mustEnd = isLost || overwritten?.mustEnd === true;
    if (!mustEnd && server.exit() === undefined) continue;
    const exit = await server.ended();
    if (exit === undefined) {
      const what = isLost ? `${opened.real} was moved away` : overwritten?.by;
      throw new Finding('hang', `the server does not end, although: ${what}`);
    }
    addResult(world, `the server of ${opened.real} ended with ${textOfEnd(exit, server.stderr())}`);
    forget(world, running);
    const isAllowed = isLost || isWeak(running) || isEndAllowed(running, exit);
    if (!isAllowed) {
      throw new Finding('ended', `the server ended with ${exit}: ${server.stderr()}`);
    }
    if (overwritten !== undefined) finishOverwritten(world, running, exit);
    else settleEnded(running);
  }
}

/** Whether a server may refuse a write or end, because an action removed something that it needs. */
export function isWeak({ data, opened }: RunningServer): boolean {
  const now = look(opened.real);
  const hasLock = now.lock === opened.lock && now.lockBytes === 0;
  return data.ruinedBy !== undefined || !hasLock;
}

export async function end(world: World, running: RunningServer, signal: 'SIGTERM' | 'SIGKILL') {
  const { server, data, opened } = running;
  step(world, `kill -${signal.slice(3)} (the server of ${opened.real})`);
  server.signal(signal);
  const exit = await server.ended();
  if (exit === undefined) throw new Finding('hang', `the server does not end on ${signal}`);
  forget(world, running);
  if (running.overwritten !== undefined) {
    addResult(world, textOfEnd(exit, server.stderr()));
    const isAllowed = signal === 'SIGKILL' || isEndAllowed(running, exit);
    if (!isAllowed) throw new Finding('ended', `the server ended with ${exit} on ${signal}`);
    finishOverwritten(world, running, exit);
    return;
  }
  if (signal === 'SIGKILL') return;
  if (exit !== 0 && !isWeak(running)) {
    throw new Finding('ended', `the server ended with ${exit}: ${server.stderr()}`);
  }
  const view = look(opened.real);
  if (view.file === data.tracked.key && view.logBytes === 0) settleEnded(running);
}
