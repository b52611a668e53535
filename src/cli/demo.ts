import type { Command } from 'commander';
import { background } from '../context/context.ts';
import { defaultWorkspaceName } from '../domain/access/workspace.ts';
import { type NewPet, type PetReads, petStatuses } from '../domain/pet.ts';
import type { Int64 } from '../domain/values/int64.ts';
import { pluralize } from '../domain/values/pluralize.ts';
import { wholeNumber } from '../ops/setting-values.ts';
import type { CommandWriter } from '../storage/contract/command-writer.ts';
import { CliFailure } from '../terminal/cli-failure.ts';
import { addSettings, settingsOf } from '../terminal/command-line.ts';
import { print, printNote } from '../terminal/print.ts';
import { startProgress } from '../terminal/progress.ts';
import { createRest, creatingSettings, openDatabaseWith } from './open-database.ts';
import { requireWorkspace } from './require-workspace.ts';

const animalsMax = 100_000_000;

const ordersMax = 1_000_000;

const animalsPerCommand = 1000;
const ordersAtOnce = 100;

export function addDemoCommand(program: Command): void {
  const command = program
    .command('demo')
    .description('Add demo animals, categories and orders. The same seed gives the same animals.')
    .option('--animals <number>', 'number of animals to add', '1000')
    .option('--orders <number>', 'number of orders to place for available animals', '0')
    .option('--workspace <name>', 'workspace to add them to', defaultWorkspaceName)
    .option('--random-seed <number>', 'seed of the random animals and orders', '1');
  addSettings(command, creatingSettings).action(async (options: { workspace: string }) => {
    const config = settingsOf(command, creatingSettings, {
      animals: (text) => wholeNumber(text, 1, animalsMax),
      orders: (text) => wholeNumber(text, 0, ordersMax),
      randomSeed: (text) => wholeNumber(text, 0, 2 ** 32 - 1),
    });
    const { animals, orders, randomSeed: seed } = config;
    await using database = await openDatabaseWith(options.workspace, config);
    const workspace = await requireWorkspace(database, options.workspace);
    await nameCategories(database, workspace.id);
    await addAnimals(database, workspace.id, animals, seed, await createRest(config));
    print(`Added ${pluralize(animals, 'animal')} to workspace ${workspace.name}.`);
    if (orders === 0) return;
    const placed = await placeOrders(database, workspace.id, orders, seed);
    print(`Placed ${pluralize(placed, 'order')}.`);
  });
}

/** Does not change categories that exist. */
async function nameCategories(database: CommandWriter, workspaceId: Int64): Promise<void> {
  const precondition = { noneMatch: '*' } as const;
  await Promise.all(
    categoryNames.map((name, index) => {
      const id = BigInt(index + 1);
      return database.write(background, 'putCategory', {
        workspaceId,
        id,
        category: { name },
        precondition,
      });
    }),
  );
}

const workspaceGone = new CliFailure('The workspace was deleted while animals were added');

async function addAnimals(
  database: CommandWriter,
  workspaceId: Int64,
  animals: number,
  seed: number,
  rest: () => Promise<void>,
): Promise<void> {
  const nextPet = createPetSource(seed);
  let added = 0;
  try {
    using progress = await startProgress('adding animals', animals);
    while (added < animals) {
      const count = Math.min(animalsPerCommand, animals - added);
      const pets = Array.from({ length: count }, nextPet);
      const outcome = await database.write(background, 'createPets', { workspaceId, pets });
      if ('refused' in outcome) throw workspaceGone;
      added += outcome.ok;
      progress.add(outcome.ok);
      if (added < animals) await rest();
    }
  } finally {
    if (added < animals) printNote(`Added ${added} of ${pluralize(animals, 'animal')}.`);
  }
}

/** Orders the newest available animals, and returns the number of orders placed. */
async function placeOrders(
  database: CommandWriter & PetReads,
  workspaceId: Int64,
  orders: number,
  seed: number,
): Promise<number> {
  using progress = await startProgress('placing orders', orders);
  const random = createRandom(seed);
  let afterId: Int64 | undefined;
  let placed = 0;
  while (placed < orders) {
    const limit = Math.min(ordersAtOnce, orders - placed);
    const page = await database.readPetPage(background, workspaceId, {
      limit,
      afterId,
      status: 'available',
    });
    const made = await Promise.all(
      page.items.map(({ id: petId }) =>
        database.write(background, 'createOrder', { workspaceId, order: { petId } }),
      ),
    );
    const ids = made.flatMap((outcome) => ('ok' in outcome ? outcome.ok.id : []));
    await Promise.all(ids.map((id) => shipOrCancel(database, workspaceId, id, random())));
    placed += ids.length;
    progress.add(ids.length);
    afterId = page.nextAfterId;
    if (afterId === undefined) break;
  }
  return placed;
}

/** Ships 40 % of the orders and cancels 10 %. The others stay open. */
async function shipOrCancel(
  database: CommandWriter,
  workspaceId: Int64,
  id: Int64,
  chance: number,
): Promise<void> {
  const order = { workspaceId, id, precondition: {} };
  if (chance < 0.4) {
    const changes = { status: 'shipped' } as const;
    await database.write(background, 'updateOrder', { ...order, changes, now: Date.now() });
  } else if (chance < 0.5) {
    await database.write(background, 'cancelOrder', order);
  }
}

const givenNames =
  'Fluffy Rex Bella Luna Max Coco Milo Daisy Simba Nala Oscar Rosie Buddy Poppy Tiger Willow Ziggy Hazel Bruno Pepper Mochi Biscuit Olive Ginger Smokey Pumpkin Shadow Honey Waffles Pickles'.split(
    ' ',
  );
/** The first is none. */
const epithets =
  ', the Brave, the Sleepy, the Small, Junior, II, of the Garden, Whiskers, Bigpaw, the Curious'.split(
    ',',
  );
const categoryNames =
  'Dogs,Cats,Rabbits,Guinea pigs,Hamsters,Birds,Fish,Turtles,Lizards,Snakes,Horses,Ferrets'.split(
    ',',
  );

/** Returns an endless sequence of animals that depends only on the seed. */
export function createPetSource(seed: number): () => NewPet {
  const random = createRandom(seed);
  const pick = <Item>(items: readonly Item[], fallback: Item): Item =>
    items[Math.floor(random() * items.length)] ?? fallback;
  return () => ({
    name: `${pick(givenNames, 'Fluffy')}${pick(epithets, '')}`,
    categoryId: BigInt(1 + Math.floor(random() * categoryNames.length)),
    // Most animals of a shop are available.
    status: random() < 0.7 ? 'available' : pick(petStatuses, 'available'),
  });
}

/** The mulberry32 generator, with 32 bits of state. Not for secrets. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
