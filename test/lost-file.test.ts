import { describe, expect, test } from 'bun:test';
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { background } from '../src/context/context.ts';
import { openSqliteDatabase } from '../src/sqlite/database.ts';
import { checkpoint } from '../src/sqlite/writer/wal.ts';
import { DatabaseUnavailable } from '../src/storage/contract/database-error.ts';
import { addAnimal } from './support/call-server.ts';
import { equalPets } from './support/catalogue.ts';
import { okOf } from './support/outcome.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

interface Paths {
  /** Path of the data, in its own folder. */
  readonly data: string;
  readonly elsewhere: string;
  /** Number of animals in the other data. */
  readonly other: string;
}

const otherAnimals = 7;

interface Way {
  readonly lose: (paths: Paths) => void;
  /** The message of the server, where `$` is the path of the data. */
  readonly message: string;
  /** Whether the remaining data is not that of the server. */
  readonly isOther?: boolean;
  /** The place of the remaining data, and its number of animals. */
  readonly left: { readonly at: keyof Paths; readonly animals: 'all' | number };
}

const replaced: Way = {
  lose: ({ data, other }) => renameSync(other, data),
  message: '$ was replaced by another file',
  isOther: true,
  left: { at: 'data', animals: otherAnimals },
};

const ways = {
  'is removed': {
    lose: ({ data }) => rmSync(data),
    message: '$ was removed or moved away',
    left: { at: 'data', animals: 0 },
  },
  'is moved away': {
    lose: ({ data, elsewhere }) => renameSync(data, elsewhere),
    message: '$ was removed or moved away',
    left: { at: 'elsewhere', animals: 'all' },
  },
  'has its folder moved away': {
    lose({ data, elsewhere }) {
      renameSync(join(data, '..'), join(elsewhere, '..'));
      renameSync(join(elsewhere, '../data.db'), elsewhere);
    },
    message: '$ was removed or moved away',
    left: { at: 'elsewhere', animals: 'all' },
  },
  'is replaced by another': replaced,
  'loses its log': {
    lose: ({ data }) => rmSync(`${data}-wal`),
    message: '$-wal was removed or moved away',
    left: { at: 'data', animals: 'all' },
  },
  'loses the index of its log': {
    lose: ({ data }) => rmSync(`${data}-shm`),
    message: '$-shm was removed or moved away',
    left: { at: 'data', animals: 'all' },
  },
} satisfies Record<string, Way>;

async function prepare() {
  const folder = makeTemporaryFolder();
  for (const name of ['here', 'there']) mkdirSync(join(folder.path, name));
  const paths = {
    data: join(folder.path, 'here/data.db'),
    elsewhere: join(folder.path, 'there/elsewhere.db'),
    other: join(folder.path, 'other.db'),
  };
  await using other = await openSqliteDatabase({
    path: paths.other,
    asServer: false,
    now: Date.now,
  });
  await other.write(background, 'createPets', { workspaceId: 1n, pets: equalPets(otherAnimals) });
  return {
    ...paths,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

const apiKey = 'key-of-the-lost-file-test';

const messageOf = (way: Way, { data }: Paths) =>
  `${way.message.replace('$', data)} while the server had it open: see docs/operations.md`;

const served = ['is replaced by another', 'is moved away', 'loses its log'] as const;

test.each(served)(
  'a server whose file %s ends with 1 and one line with the reason',
  async (name) => {
    const way = ways[name];
    using paths = await prepare();
    await using server = await startServerProcess(`sqlite:${paths.data}`, {
      env: { ANIMAL_STORE_API_KEY: apiKey },
    });
    const add = () => addAnimal(server, apiKey);
    expect((await add()).status).toBe(201);
    way.lose(paths);
    const statuses: number[] = [];
    for (let isServing = true; isServing; ) {
      await add().then(
        ({ status }) => statuses.push(status),
        () => {
          isServing = false;
        },
      );
    }
    // Nothing is acknowledged after the first refusal.
    const refused = statuses.filter((status) => status !== 201);
    expect(statuses.slice(statuses.length - refused.length)).toEqual(refused);
    expect(new Set(refused)).toEqual(new Set(refused.length > 0 ? [503] : []));
    expect(await server.ended).toBe(1);
    const { stdout, stderr } = server.output();
    expect(stderr).toBe(`animal-store: ${messageOf(way, paths)}\n`);
    const fatal = stdout.split('\n').filter((line) => line.includes('"level":60'));
    expect(fatal.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'the database can no longer be written', err: { message: messageOf(way, paths) } },
    ]);
  },
);

describe.each(Object.entries<Way>(ways))('a file that %s under a server', (_, way) => {
  test('accepts no writes', async () => {
    using paths = await prepare();
    await using database = await openSqliteDatabase({
      path: paths.data,
      asServer: true,
      now: Date.now,
    });
    const pet = { name: 'Rex', categoryId: 1n };
    await database.write(background, 'createPet', { workspaceId: 1n, pet });
    way.lose(paths);
    const reason = await database.broken;
    expect(reason.message).toBe(messageOf(way, paths));
    const refused = database.write(background, 'createPet', { workspaceId: 1n, pet });
    await expect(refused).rejects.toThrow(DatabaseUnavailable);
  });

  test(`leaves ${way.left.animals} of the acknowledged animals to the next server, and no log of its own`, async () => {
    using paths = await prepare();
    let acknowledged = 0;
    {
      await using database = await openSqliteDatabase({
        path: paths.data,
        asServer: true,
        now: Date.now,
      });
      const add = async () => {
        const pets = equalPets(50);
        acknowledged += okOf(
          await database.write(background, 'createPets', { workspaceId: 1n, pets }),
        );
      };
      await add();
      const files = ['', '-wal', '-shm'].map((suffix) => {
        const path = paths.data + suffix;
        const { dev, ino } = statSync(path, { bigint: true });
        return { path, dev, ino };
      });
      way.lose(paths);
      await add();
      // A checkpoint would write pages of the lost file into another.
      expect(() => checkpoint(paths.data, files)).toThrow();
      await database.broken;
    }
    const env = {
      DATABASE_URL: `sqlite:${paths[way.left.at]}`,
      ANIMAL_STORE_CREATE_DATA: 'always',
    };
    const create = () => runProgram(['workspaces', 'create', 'new'], env);
    if (way.isOther === true) {
      expect(await create()).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining('animal-store accept-restored'),
      });
      expect((await runProgram(['accept-restored', '--id-gap', '0'], env)).exitCode).toBe(0);
    }
    expect((await create()).exitCode).toBe(0);
    const { stdout, stderr } = await runProgram(['verify'], env);
    expect(stderr).toBe('');
    const animals = way.left.animals === 'all' ? acknowledged : way.left.animals;
    expect(stdout).toMatch(new RegExp(`^default +${animals} +${animals + 1}$`, 'm'));
  });
});
