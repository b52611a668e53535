import fc, { type Arbitrary } from 'fast-check';

/** The paths that data has in a sequence, relative to its folder. */
export const dataPaths = ['d1/a.db', 'd1/a.db.broken', 'd2/a.db'] as const;
export type DataPath = (typeof dataPaths)[number];

const folders = ['d1', 'd2', 'd3'] as const;
export type Folder = (typeof folders)[number];

/** A data file, or one of the files beside it. */
export type Part = '' | '-wal' | '-shm' | '.lock' | '.life';

export type CreateData = 'auto' | 'never' | 'always';

/** What an operator does with this program. */
type ProgramAction =
  | { readonly do: 'serve'; readonly path: DataPath; readonly createData: CreateData }
  | { readonly do: 'write'; readonly server: number; readonly adds: number; readonly also: Change }
  | { readonly do: 'stop' | 'kill'; readonly server: number }
  | { readonly do: CommandName; readonly path: DataPath }
  | { readonly do: 'restore'; readonly path: DataPath; readonly backup: number }
  | { readonly do: 'accept-restored'; readonly path: DataPath; readonly hasGap: boolean };

/** What an operator does with other programs. */
export type DiskAction =
  | ({ readonly do: 'ln' | 'ln -s' } & Pair<DataPath>)
  | ({ readonly do: 'mv folder' | 'ln -s folder' } & Pair<Folder>)
  | ({ readonly do: 'mv'; readonly parts: readonly Part[] } & Pair<DataPath>)
  | ({ readonly do: 'cp'; readonly withLog: boolean } & Pair<DataPath>)
  | { readonly do: 'rm'; readonly path: DataPath; readonly parts: readonly Part[] };

/** Ways to change a file in place. */
export type Act = 'empty' | 'cut' | 'grow' | 'cp old' | 'cp other';

/** What happens at once to a server whose file was changed. */
export type Then = 'wait' | 'write' | 'stop' | 'kill';

/** What an operator does inside of files. */
export type ContentAction =
  | {
      readonly do: 'overwrite';
      readonly path: DataPath;
      readonly part: Part;
      readonly act: Act;
      readonly percent: number;
      readonly then: Then;
    }
  | { readonly do: 'keep copies'; readonly path: DataPath; readonly parts: readonly Part[] }
  | { readonly do: 'snapshot' | 'put back snapshot'; readonly folder: Folder };

export type Action = ProgramAction | DiskAction | ContentAction;

interface Pair<Path> {
  readonly from: Path;
  readonly to: Path;
}

export type Change = 'nothing' | 'rename' | 'delete' | 'order';
export type CommandName = 'backup' | 'verify' | 'migrate' | 'keys create';

export interface Sequence {
  /** The beginning: a data file after SIGTERM or after SIGKILL, or a server that runs on one. */
  readonly start: 'nothing' | 'stopped' | 'killed' | 'serving';
  readonly actions: readonly Action[];
}

const actionsMin = 2;
const actionsMax = 8;

/** Most data has its usual path. */
const path = fc.oneof(
  { weight: 7, arbitrary: fc.constant<DataPath>('d1/a.db') },
  { weight: 1, arbitrary: fc.constant<DataPath>('d1/a.db.broken') },
  { weight: 2, arbitrary: fc.constant<DataPath>('d2/a.db') },
);
const folder = fc.constantFrom(...folders);
const pair = pairOf(path, dataPaths);
const folderPair = pairOf(folder, folders);
const server = fc.nat(1);
const one = fc
  .constantFrom<Part>('', '', '', '', '', '', '-wal', '-wal', '-shm', '.lock', '.lock', '.life')
  .map((part) => [part]);
const all: readonly Part[] = ['', '-wal', '-shm', '.lock', '.life'];
const parts: Arbitrary<readonly Part[]> = fc.oneof(
  { weight: 7, arbitrary: one },
  { weight: 1, arbitrary: fc.constant<readonly Part[]>(['', '-wal']) },
  { weight: 2, arbitrary: fc.constant<readonly Part[]>(['', '-wal', '.life']) },
  { weight: 1, arbitrary: fc.constant(all) },
);
const changedPart = fc.constantFrom<Part>(
  ...(['', '', '', '-wal', '-wal', '-wal', '-shm', '.life', '.life', '.lock'] as const),
);
const act = fc.constantFrom<Act>(
  ...(['empty', 'empty', 'empty', 'cut', 'cut', 'grow'] as const),
  ...(['cp old', 'cp old', 'cp old', 'cp other', 'cp other'] as const),
);
const percent = fc.integer({ min: 0, max: 99 });
const then = fc.constantFrom<Then>('wait', 'wait', 'write', 'write', 'stop', 'kill');
const createData = fc.constantFrom<CreateData>('auto', 'auto', 'auto', 'auto', 'never', 'always');
const change = fc.constantFrom<Change>('nothing', 'nothing', 'rename', 'delete', 'order');

/** Two different paths. */
function pairOf<Path>(
  path: Arbitrary<Path>,
  [first, second, third]: readonly [Path, Path, Path],
): Arbitrary<Pair<Path>> {
  return fc.tuple(path, fc.constantFrom(first, second, third)).map(([from, to]) => ({
    from,
    to: to !== from ? to : from === first ? second : first,
  }));
}

/** The weights of all actions. Those that had most of the findings are frequent. */
const weights: readonly (readonly [weight: number, action: Arbitrary<Action>])[] = [
  [110, record('serve', { path, createData })],
  [40, record('write', { server, adds: fc.integer({ min: 1, max: 4 }), also: change })],
  [20, record('stop', { server })],
  [50, record('kill', { server })],
  [20, record('backup', { path })],
  [15, record('verify', { path })],
  [5, record('migrate', { path })],
  [40, record('keys create', { path })],
  [90, record('restore', { path, backup: fc.nat(2) })],
  [8, named('ln', pair)],
  [8, named('ln -s', pair)],
  [
    130,
    named(
      'mv',
      fc.tuple(pair, parts).map(([two, which]) => ({ ...two, parts: which })),
    ),
  ],
  [
    25,
    named(
      'cp',
      fc.tuple(pair, fc.boolean()).map(([two, withLog]) => ({ ...two, withLog })),
    ),
  ],
  [35, record('rm', { path, parts })],
  [12, named('mv folder', folderPair)],
  [8, named('ln -s folder', folderPair)],
  [160, record('overwrite', { path, part: changedPart, act, percent, then })],
  [
    30,
    record('keep copies', {
      path,
      parts: fc.constantFrom(all, all, ['' as const, '.life' as const]),
    }),
  ],
  [15, record('snapshot', { folder })],
  [25, record('put back snapshot', { folder: fc.constantFrom<Folder>('d1', 'd1', 'd1', 'd2') })],
  [40, record('accept-restored', { path, hasGap: fc.boolean() })],
];
const action = fc.oneof(...weights.map(([weight, arbitrary]) => ({ weight, arbitrary })));

export const sequences: Arbitrary<Sequence> = fc.record({
  start: fc.oneof(
    { weight: 1, arbitrary: fc.constant<Sequence['start']>('nothing') },
    { weight: 3, arbitrary: fc.constant<Sequence['start']>('stopped') },
    { weight: 9, arbitrary: fc.constant<Sequence['start']>('killed') },
    { weight: 9, arbitrary: fc.constant<Sequence['start']>('serving') },
  ),
  actions: fc.array(action, { minLength: actionsMin, maxLength: actionsMax, size: 'max' }),
});

function record<Name extends string, Fields extends object>(
  name: Name,
  fields: { [Key in keyof Fields]: Arbitrary<Fields[Key]> },
): Arbitrary<{ do: Name } & Fields> {
  return named(name, fc.record(fields) as Arbitrary<Fields>);
}

function named<Name extends string, Fields extends object>(
  name: Name,
  fields: Arbitrary<Fields>,
): Arbitrary<{ do: Name } & Fields> {
  return fields.map((made) => ({ do: name, ...made }));
}
