import { existsSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { keyOf, look, tryStat } from './disk.ts';
import type { Records } from './records.ts';
import { type DataFile, Finding, type LifeNote, type World } from './world.ts';

/** Identifies a path by the identity of its folder, which can be moved and mounted. */
export function lifeKey(real: string): string {
  return `${keyOf(statSync(dirname(real)))}/${basename(real)}`;
}

/** The real path of the data file of a file `NAME.life`. */
export function dataPathOf(lifePath: string): string {
  return look(lifePath).real.replace(/\.life$/, '');
}

export function noteAt({ lives }: World, real: string): LifeNote | undefined {
  if (tryStat(dirname(real)) === undefined || !existsSync(`${real}.life`)) return undefined;
  return lives.get(lifeKey(real));
}

/** The records that `NAME.life` promises; undefined if it promises none. */
export function promiseOf(note: LifeNote | undefined): Records | undefined {
  return note?.frozen === undefined ? note?.data.full : note.frozen.records;
}

/** A program of ours has written `NAME.life`. From now on, it and the file belong together. */
export function setNote(world: World, real: string, data: DataFile): void {
  const { lives } = world;
  const key = lifeKey(real);
  lives.delete(key);
  freeze(world, data);
  if (existsSync(`${real}.life`)) lives.set(key, { data, frozen: undefined });
}

/** The content of a file changes now, but not what a `NAME.life` promises about it. */
export function freeze({ lives }: World, data: DataFile): void {
  for (const [key, note] of lives) {
    if (note.data === data) lives.set(key, frozenNote(note));
  }
}

export function frozenNote(note: LifeNote): LifeNote {
  return { data: note.data, frozen: { records: promiseOf(note) } };
}

/** An operator has moved a `NAME.life`, or removed it if there is no target. */
export function moveNote(world: World, from: string, to: string | undefined): void {
  const { lives, servers } = world;
  const note = lives.get(lifeKey(from));
  lives.delete(lifeKey(from));
  if (to === undefined) return;
  lives.delete(lifeKey(to));
  if (note === undefined) return;
  // A server writes later commits to a new file.
  const isServed = servers.some(({ data }) => data === note.data);
  lives.set(lifeKey(to), isServed ? frozenNote(note) : note);
}

/** A program that uses a file must find all records that `NAME.life` promises. */
export function checkPromise(
  note: LifeNote | undefined,
  found: { has(row: string): boolean } | undefined,
  text: string,
): void {
  const rows = [...(promiseOf(note)?.rows ?? [])];
  const lost = rows.filter(([row, { isRequired }]) => isRequired && found?.has(row) !== true);
  if (lost.length === 0) return;
  throw new Finding('lost-records', `${text}, without ${lost.map(([row]) => row).join(', ')}`);
}
