import { background } from '../../src/context/context.ts';
import { petStatuses } from '../../src/domain/pet.ts';
import { openSqliteDatabase } from '../../src/sqlite/database.ts';
import { okOf } from './outcome.ts';

// Data files that are made in this process, because as many runs of the program would take minutes.

/** Makes a file with the category Dogs and so many animals of every status, one of them Fluffy. */
export async function makeDataFile(path: string, animals: number): Promise<void> {
  await using database = await openSqliteDatabase({ path, asServer: false, now: Date.now });
  const precondition = { noneMatch: '*' } as const;
  const category = { workspaceId: 1n, id: 1n, category: { name: 'Dogs' }, precondition };
  await database.write(background, 'putCategory', category);
  const pets = Array.from({ length: animals }, (_, index) => ({
    name: ['Fluffy', 'Rex', 'Max'][index % 3] ?? '',
    categoryId: 1n,
    status: petStatuses[Math.floor(index / 3) % petStatuses.length] ?? 'sold',
  }));
  for (let first = 0; first < animals; first += 1000) {
    const some = pets.slice(first, first + 1000);
    await database.write(background, 'createPets', { workspaceId: 1n, pets: some });
  }
}

/** Adds animals to a file as a server does that stops then. Returns their ids. */
export async function serveBriefly(path: string, animals: number): Promise<number[]> {
  await using database = await openSqliteDatabase({ path, asServer: true, now: Date.now });
  const ids: number[] = [];
  for (let count = 0; count < animals; count += 1) {
    const origin = { requestId: 'request', actor: 'owner', now: Date.now() } as const;
    const pet = { name: 'Rex', categoryId: 1n };
    const input = { workspaceId: 1n, pet, origin };
    ids.push(Number(okOf(await database.write(background, 'createPet', input)).id));
  }
  return ids;
}
