import type { Command } from 'commander';
import { echo } from '../domain/error.ts';
import { type NewPet, petStatuses } from '../domain/pet.ts';
import { defaultWorkspaceName } from '../domain/workspace.ts';
import { addSettings, CommandFailure, settingsOf } from './command-line.ts';
import { databaseSettings, openDatabaseWith } from './open-database.ts';
import { counted, print } from './print.ts';
import { startProgress } from './progress.ts';
import { noSuchWorkspace } from './workspaces/no-such-workspace.ts';

const animalsMax = 100_000_000;

/** Travel together to the writer. */
const animalsPerCommand = 1000;

export function addDemoCommand(program: Command): void {
  const command = program
    .command('demo')
    .description('Add demo animals. The same seed gives the same animals.')
    .option('--animals <number>', 'number of animals to add', '1000')
    .option('--workspace <name>', 'workspace to add the animals to', defaultWorkspaceName)
    .option('--random-seed <number>', 'seed of the random animals', '1');
  addSettings(command, databaseSettings).action(async (options: DemoOptions) => {
    const faults: string[] = [];
    const animals = parseCount(options.animals, 1, animalsMax);
    if (animals === undefined) {
      faults.push(
        `--animals must be a whole number from 1 to ${animalsMax}, got ${echo(options.animals)}`,
      );
    }
    const seed = parseCount(options.randomSeed, 0, 2 ** 32 - 1);
    if (seed === undefined) {
      faults.push(
        `--random-seed must be a whole number from 0 to ${2 ** 32 - 1}, got ${echo(options.randomSeed)}`,
      );
    }
    const config = settingsOf(command, databaseSettings, faults);
    if (animals === undefined || seed === undefined) return;

    await using database = await openDatabaseWith(options.workspace, config);
    const workspace = await database.findWorkspace(options.workspace);
    if (workspace === undefined) {
      throw noSuchWorkspace(options.workspace);
    }
    {
      using progress = await startProgress('adding animals', animals);
      const nextPet = createPetSource(seed);
      for (let added = 0; added < animals; ) {
        const count = Math.min(animalsPerCommand, animals - added);
        const pets = Array.from({ length: count }, nextPet);
        const outcome = await database.write('createPets', { workspaceId: workspace.id, pets });
        if ('refused' in outcome)
          throw new CommandFailure(['The workspace was deleted while animals were added']);
        added += outcome.ok;
        progress.add(outcome.ok);
      }
    }
    print(`Added ${counted(animals, 'animal')} to workspace ${workspace.name}.`);
  });
}

interface DemoOptions {
  animals: string;
  workspace: string;
  randomSeed: string;
}

function parseCount(text: string, min: number, max: number): number | undefined {
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : undefined;
}

const givenNames =
  'Fluffy Rex Bella Luna Max Coco Milo Daisy Simba Nala Oscar Rosie Buddy Poppy Tiger Willow Ziggy Hazel Bruno Pepper Mochi Biscuit Olive Ginger Smokey Pumpkin Shadow Honey Waffles Pickles'.split(
    ' ',
  );
const epithets = [
  '',
  ' the Brave',
  ' the Sleepy',
  ' the Small',
  ' Junior',
  ' II',
  ' of the Garden',
  ' Whiskers',
  ' Bigpaw',
  ' the Curious',
];
const categoryCount = 12;

/** An endless row of animals that depends on nothing but the seed. */
export function createPetSource(seed: number): () => NewPet {
  const random = createRandom(seed);
  const pick = <Item>(items: readonly Item[], fallback: Item): Item =>
    items[Math.floor(random() * items.length)] ?? fallback;
  return () => ({
    name: `${pick(givenNames, 'Fluffy')}${pick(epithets, '')}`,
    categoryId: BigInt(1 + Math.floor(random() * categoryCount)),
    // Most animals of a shop are still to be had.
    status: random() < 0.7 ? 'available' : pick(petStatuses, 'available'),
  });
}

/** The mulberry32 generator: 32 bits of state, plenty for names. Not for secrets. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
