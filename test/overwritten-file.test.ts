import { Database as Connection } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { addedId, call } from './support/call-server.ts';
import { runProgram, type ServerProcess, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder, type TemporaryFolder } from './support/temporary-folder.ts';

const apiKey = 'key-of-the-overwritten-file-test';
const env = { ANIMAL_STORE_API_KEY: apiKey };
/** The animals of the data before the server of a test starts. */
const animalsBefore = 5;
const writesMax = 5;

/** A file that a test overwrites in place. */
interface Target {
  readonly path: string;
  /** An earlier content of the same file. */
  readonly older: string;
  /** A file of another database. */
  readonly other: string;
}

/** Writes into the file itself. A shell redirection, `cp` and the `copytruncate` of logrotate do the same. */
const acts: Record<string, (target: Target) => void> = {
  'is emptied': ({ path }) => truncateSync(path, 0),
  'is cut': ({ path }) => truncateSync(path, Math.floor(statSync(path).size / 2)),
  'is overwritten by an older copy': ({ path, older }) => writeFileSync(path, readFileSync(older)),
  'is overwritten by another': ({ path, other }) => writeFileSync(path, readFileSync(other)),
};

const parts = { file: '', log: '-wal' } as const;

const moments = ['before any write', 'after some writes', 'after a checkpoint', 'before a stop'];

type Case = (typeof cases)[number];

/** A log whose pages are all in the file has nothing to lose. */
const isLoss = ({ part, moment }: Case) =>
  part === 'file' || moment === 'after some writes' || moment === 'before a stop';

/** Each act at one moment, and each moment with one act. The long form has all of them. */
const isLong = process.env.ANIMAL_STORE_TEST_RUNS !== undefined;

const cases = (['file', 'log'] as const)
  .flatMap((part) =>
    Object.keys(acts).flatMap((act) => moments.map((moment) => ({ part, act, moment }))),
  )
  .filter(
    ({ act, moment }) =>
      isLong || moment === 'after some writes' || act === 'is overwritten by another',
  );

let folder: TemporaryFolder;

beforeAll(async () => {
  folder = makeTemporaryFolder();
  for (const name of ['data', 'other']) {
    mkdirSync(join(folder.path, name));
    const url = `sqlite:${folder.path}/${name}/a.db`;
    await using server = await startServerProcess(url, { env });
    for (let count = 0; count < animalsBefore; count += 1) await add(server);
    if (name === 'data') {
      await runProgram(['keys', 'create', '--name', 'clerk'], { DATABASE_URL: url });
      await server.stop('SIGTERM');
    } else {
      copyFileSync(`${folder.path}/other/a.db-wal`, `${folder.path}/other.db-wal`);
    }
  }
  copyFileSync(`${folder.path}/other/a.db`, `${folder.path}/other.db`);
});

afterAll(() => folder[Symbol.dispose]());

/** Returns the id of an added animal; undefined without a 201. */
async function add(server: ServerProcess): Promise<number | undefined> {
  try {
    return await addedId(server, apiKey);
  } catch {
    return undefined;
  }
}

/** Adds animals until the server ends, or has acknowledged enough. Returns the acknowledged ids. */
async function addUntilEnd(server: ServerProcess): Promise<readonly number[]> {
  const ids: number[] = [];
  let hasEnded = false;
  server.ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded && ids.length < writesMax) {
    const id = await add(server);
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

/** The ids of the animals in a data file without its log. */
function readFileAlone(path: string): readonly number[] {
  copyFileSync(path, `${path}.alone`);
  using connection = new Connection(`${path}.alone`);
  return connection
    .query<{ id: number }, []>('SELECT id FROM pets ORDER BY id')
    .all()
    .map(({ id }) => id);
}

function checkpoint(path: string): void {
  using connection = new Connection(path, { readwrite: true });
  connection.run('PRAGMA wal_checkpoint(PASSIVE)');
}

/** Starts a server and stops it. Returns its animals, or the line with which it refused. */
async function tryToServe(url: string): Promise<readonly number[] | string> {
  try {
    await using server = await startServerProcess(url, { env });
    const answer = await call(server, apiKey, '/v1/pets?limit=100');
    const pets = (await answer.json()) as readonly { id: number }[];
    await server.stop('SIGTERM');
    return pets.map(({ id }) => id);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Brings a server of its own to a moment, and then overwrites a file. Returns all ids that were acknowledged until then. */
async function overwrite({ part, act, moment }: Case) {
  const name = `${part} ${act} ${moment}`.replaceAll(' ', '-');
  cpSync(join(folder.path, 'data'), join(folder.path, name), { recursive: true });
  const data = join(folder.path, name, 'a.db');
  const path = data + parts[part];
  const older = `${path}.older`;
  if (part === 'file') copyFileSync(path, older);
  const server = await startServerProcess(`sqlite:${data}`, { env });
  const ids = Array.from({ length: animalsBefore }, (_, index) => index + 1);
  const write = async () => ids.push((await add(server)) ?? 0);
  if (moment !== 'before any write') await write();
  if (part === 'log') copyFileSync(path, older);
  if (moment !== 'before any write') for (let count = 0; count < 3; count += 1) await write();
  if (moment === 'after a checkpoint') checkpoint(data);
  const inFile = readFileAlone(data);
  acts[act]?.({ path, older, other: join(folder.path, `other.db${parts[part]}`) });
  return { data, server, ids, inFile };
}

test.each(cases.filter(isLoss))(
  'a $part that $act under a server $moment ends the server, is refused, and loses nothing else',
  async ({ part, act, moment }) => {
    const { data, server, ids, inFile } = await overwrite({ part, act, moment });
    await using _ = server;
    const url = `sqlite:${data}`;
    if (moment === 'before a stop') await server.stop('SIGTERM');
    expect(await addUntilEnd(server)).toEqual([]);
    expect(await server.ended).toBe(1);
    expect(server.output().stderr).toMatch(
      new RegExp(`^animal-store: ${data}(-wal)? was emptied, cut or overwritten.*\n$`),
    );
    if (part === 'log') expect(readFileAlone(data)).toEqual(inFile);
    const refusal = await tryToServe(url);
    // An older copy, with the whole log that was begun after it, lacks nothing.
    if (act === 'is overwritten by an older copy' && typeof refusal !== 'string') {
      expect(refusal.toSorted()).toEqual(ids);
      return;
    }
    expect(refusal).toMatch(/^The server ended with 1: animal-store: .+\n$/);
    // An empty file has nothing to accept.
    const advice = act === 'is emptied' && part === 'file' ? 'restore a backup' : 'accept-restored';
    expect(refusal).toContain(advice);
    if (moment !== 'after some writes') return;
    for (const args of [
      ['keys', 'revoke', '1'],
      ['demo', '--animals', '1'],
    ]) {
      const { exitCode, stderr } = await runProgram(args, { DATABASE_URL: url });
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^animal-store: .+\n$/)]);
      expect(stderr).toContain(advice);
    }
    if (part === 'file') return;
    expect(readFileAlone(data)).toEqual(inFile);
    const accepted = await runProgram(['accept-restored', '--yes'], { DATABASE_URL: url });
    // A log that does not belong to the file is kept under another name.
    expect(accepted).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^(animal-store: The log beside .+\n)?$/),
    });
    await using next = await startServerProcess(url, { env });
    expect(await add(next)).toBeGreaterThan(Math.max(...ids));
  },
);

test.each(cases.filter((each) => !isLoss(each)))(
  'a $part that $act under a server $moment costs no acknowledged animal',
  async (each) => {
    const { data, server, ids } = await overwrite(each);
    await using _ = server;
    const added = await addUntilEnd(server);
    await server.stop('SIGTERM');
    const served = await tryToServe(`sqlite:${data}`);
    if (typeof served === 'string') expect([added, served]).toEqual([[], served]);
    else expect(served).toEqual(expect.arrayContaining([...ids, ...added]));
  },
);
