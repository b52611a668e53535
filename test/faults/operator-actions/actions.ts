import fc, { type Arbitrary } from 'fast-check';

/** The paths that data has in a sequence, relative to its folder. */
export const dataPaths = ['d1/a.db', 'd1/a.db.broken', 'd2/a.db'] as const;
export type DataPath = (typeof dataPaths)[number];

export const folders = ['d1', 'd2', 'd3'] as const;
export type Folder = (typeof folders)[number];

/** A data file, or one of the files beside it. */
export type Part = '' | '-wal' | '-shm' | '.lock';

export type CreateData = 'auto' | 'never' | 'always';

export type Action =
  | { readonly do: 'serve'; readonly path: DataPath; readonly createData: CreateData }
  | { readonly do: 'serve with a stalled log reader'; readonly path: DataPath }
  | { readonly do: 'write'; readonly server: number; readonly adds: number; readonly also: Change }
  | { readonly do: 'stop' | 'kill'; readonly server: number }
  | { readonly do: CommandName; readonly path: DataPath }
  | { readonly do: 'restore'; readonly path: DataPath; readonly backup: number }
  | { readonly do: 'copy' | 'ln' | 'ln -s'; readonly from: DataPath; readonly to: DataPath }
  | {
      readonly do: 'mv';
      readonly from: DataPath;
      readonly to: DataPath;
      readonly parts: readonly Part[];
    }
  | { readonly do: 'cp'; readonly from: DataPath; readonly to: DataPath; readonly withLog: boolean }
  | { readonly do: 'rm'; readonly path: DataPath; readonly parts: readonly Part[] }
  | { readonly do: 'mv folder' | 'ln -s folder'; readonly from: Folder; readonly to: Folder }
  | { readonly do: 'bind file'; readonly from: DataPath; readonly to: DataPath }
  | { readonly do: 'bind folder'; readonly from: Folder; readonly to: Folder }
  | { readonly do: 'make read-only'; readonly folder: Folder }
  | { readonly do: 'umount' | 'fill disk' | 'free disk' }
  | { readonly do: 'set clock'; readonly offsetSeconds: number };

export type Change = 'nothing' | 'rename' | 'delete' | 'order';
export type CommandName = 'backup' | 'verify' | 'migrate' | 'keys create' | 'workspaces create';

export interface Sequence {
  /** What is there at the beginning: a data file closed by SIGTERM or left by SIGKILL, or a server that runs on one. */
  readonly start: 'nothing' | 'stopped' | 'killed' | 'serving';
  readonly disk: 'plain' | 'small';
  readonly actions: readonly Action[];
}

const actionsMin = 2;
const actionsMax = 8;
const day = 86_400;

/** Most data is where it belongs. */
const path = fc.oneof(
  { weight: 7, arbitrary: fc.constant<DataPath>('d1/a.db') },
  { weight: 1, arbitrary: fc.constant<DataPath>('d1/a.db.broken') },
  { weight: 2, arbitrary: fc.constant<DataPath>('d2/a.db') },
);
const folder = fc.constantFrom(...folders);
const pair = fc.tuple(path, fc.constantFrom(...dataPaths)).map(([from, to]) => ({
  from,
  to: to === from ? otherPath(from) : to,
}));
const folderPair = fc.tuple(folder, folder).map(([from, to]) => ({
  from,
  to: to === from ? otherFolder(from) : to,
}));
const server = fc.nat(1);
const one = fc
  .constantFrom<Part>('', '', '', '', '', '', '-wal', '-wal', '-shm', '.lock', '.lock')
  .map((part) => [part]);
const all: readonly Part[] = ['', '-wal', '-shm', '.lock'];
const parts: Arbitrary<readonly Part[]> = fc.oneof(
  { weight: 8, arbitrary: one },
  { weight: 1, arbitrary: fc.constant<readonly Part[]>(['', '-wal']) },
  { weight: 1, arbitrary: fc.constant(all) },
);
const createData = fc.constantFrom<CreateData>('auto', 'auto', 'auto', 'auto', 'never', 'always');
const change = fc.constantFrom<Change>('nothing', 'nothing', 'rename', 'delete', 'order');

function otherPath(from: DataPath): DataPath {
  return from === 'd1/a.db' ? 'd1/a.db.broken' : 'd1/a.db';
}

function otherFolder(from: Folder): Folder {
  return from === 'd1' ? 'd3' : 'd1';
}

/** What operators do; kill, move and restore often, since what went wrong went wrong there. */
const action: Arbitrary<Action> = fc.oneof(
  { weight: 110, arbitrary: record('serve', { path, createData }) },
  { weight: 1, arbitrary: record('serve with a stalled log reader', { path }) },
  {
    weight: 40,
    arbitrary: record('write', { server, adds: fc.integer({ min: 1, max: 4 }), also: change }),
  },
  { weight: 20, arbitrary: record('stop', { server }) },
  { weight: 50, arbitrary: record('kill', { server }) },
  { weight: 20, arbitrary: record('backup', { path }) },
  { weight: 15, arbitrary: record('verify', { path }) },
  { weight: 5, arbitrary: record('migrate', { path }) },
  { weight: 30, arbitrary: record('keys create', { path }) },
  { weight: 10, arbitrary: record('workspaces create', { path }) },
  { weight: 90, arbitrary: record('restore', { path, backup: fc.nat(2) }) },
  { weight: 20, arbitrary: pair.map((two) => ({ do: 'copy' as const, ...two })) },
  { weight: 8, arbitrary: pair.map((two) => ({ do: 'ln' as const, ...two })) },
  { weight: 8, arbitrary: pair.map((two) => ({ do: 'ln -s' as const, ...two })) },
  {
    weight: 130,
    arbitrary: fc
      .tuple(pair, parts)
      .map(([two, which]) => ({ do: 'mv' as const, ...two, parts: which })),
  },
  {
    weight: 25,
    arbitrary: fc
      .tuple(pair, fc.boolean())
      .map(([two, withLog]) => ({ do: 'cp' as const, ...two, withLog })),
  },
  { weight: 35, arbitrary: record('rm', { path, parts }) },
  { weight: 12, arbitrary: folderPair.map((two) => ({ do: 'mv folder' as const, ...two })) },
  { weight: 8, arbitrary: folderPair.map((two) => ({ do: 'ln -s folder' as const, ...two })) },
  { weight: 40, arbitrary: pair.map((two) => ({ do: 'bind file' as const, ...two })) },
  { weight: 12, arbitrary: folderPair.map((two) => ({ do: 'bind folder' as const, ...two })) },
  { weight: 10, arbitrary: record('make read-only', { folder }) },
  { weight: 12, arbitrary: fc.constant({ do: 'umount' as const }) },
  { weight: 10, arbitrary: fc.constant({ do: 'fill disk' as const }) },
  { weight: 8, arbitrary: fc.constant({ do: 'free disk' as const }) },
  {
    weight: 5,
    arbitrary: record('set clock', { offsetSeconds: fc.constantFrom(-day, 40 * day, 3650 * day) }),
  },
);

export const sequences: Arbitrary<Sequence> = fc.record({
  start: fc.oneof(
    { weight: 1, arbitrary: fc.constant<Sequence['start']>('nothing') },
    { weight: 3, arbitrary: fc.constant<Sequence['start']>('stopped') },
    { weight: 9, arbitrary: fc.constant<Sequence['start']>('killed') },
    { weight: 9, arbitrary: fc.constant<Sequence['start']>('serving') },
  ),
  disk: fc.constantFrom<Sequence['disk']>(...new Array<'plain'>(14).fill('plain'), 'small'),
  actions: fc.array(action, { minLength: actionsMin, maxLength: actionsMax, size: 'max' }),
});

function record<Name extends string, Fields extends object>(
  name: Name,
  fields: { [Key in keyof Fields]: Arbitrary<Fields[Key]> },
): Arbitrary<{ do: Name } & Fields> {
  return fc.record(fields).map((made) => ({ do: name, ...made }) as { do: Name } & Fields);
}
