import { expect } from 'bun:test';
import { background } from '../../src/context/context.ts';
import { defaultWorkspaceName } from '../../src/domain/access/workspace.ts';
import type { NewPet } from '../../src/domain/pet.ts';
import { nextPath, readIds } from './answers.ts';
import type { TestApp } from './test-app.ts';
import { readWorkspaces } from './whole-lists.ts';

/** Adds animals without a request for each. Their ids continue after the last one. */
export async function addPets(
  app: TestApp,
  pets: readonly NewPet[],
  workspaceName = defaultWorkspaceName,
): Promise<void> {
  const workspace = await app.database.findWorkspace(background, workspaceName);
  if (workspace === undefined) throw new Error(`There is no workspace ${workspaceName}`);
  await app.database.write(background, 'createPets', { workspaceId: workspace.id, pets });
}

/** Animals that differ only in their ids, which count from 1 in a new app. */
export function equalPets(count: number, pet: NewPet = { name: 'Rex', categoryId: 1n }): NewPet[] {
  return Array.from({ length: count }, () => pet);
}

/** Checks that the number of animals does not change. */
export async function addingNothing<Result>(
  { database }: TestApp,
  run: () => Promise<Result>,
): Promise<Result> {
  const count = async () =>
    (await readWorkspaces(database, Date.now())).map(({ petCount }) => petCount);
  const before = await count();
  const result = await run();
  expect(await count()).toEqual(before);
  return result;
}

/** Creates a second workspace. Returns a key of it with every scope. */
export async function addWorkspace(app: TestApp, name: string): Promise<string> {
  await app.database.write(background, 'createWorkspace', { name, now: app.now });
  return (await app.createKey({ workspace: name })).text;
}

/** The ids of all pages from this one on, in order. `betweenPages` can return another path for the next page. */
export async function readAllIds(
  app: TestApp,
  firstPath: string,
  betweenPages: (next: string | undefined) => Promise<string | undefined> = async (next) => next,
): Promise<number[]> {
  const ids: number[] = [];
  let path: string | undefined = firstPath;
  while (path !== undefined) {
    const response: Response = await app.send(path);
    const next = nextPath(response);
    for (const id of await readIds(response)) {
      // Otherwise a page that links to itself would never end.
      if (ids.includes(id)) throw new Error(`Id ${id} was read again after ${ids.join(', ')}`);
      ids.push(id);
    }
    path = await betweenPages(next);
  }
  return ids;
}

/** The text of each page of a list, through its links. */
export async function readPages(app: TestApp, path: string): Promise<string[]> {
  const pages: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const response = await app.send(next);
    expect(response.status).toBe(200);
    pages.push(await response.text());
    next = nextPath(response);
  }
  return pages;
}

/** The ids of the records of a page. */
export const idsIn = (text: string) => (JSON.parse(text) as { id: number }[]).map(({ id }) => id);

/** Whole numbers from one to another, in descending order like a list. */
export function downFrom(first: number, last: number): number[] {
  return Array.from({ length: first - last + 1 }, (_, index) => first - index);
}
