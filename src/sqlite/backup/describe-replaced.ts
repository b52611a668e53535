import { pluralize } from '../../domain/values/pluralize.ts';
import { readReplaced } from '../../storage/copies/restore.ts';
import type { Connection } from '../connection.ts';
import { isDamage } from '../errors.ts';
import { findPath } from '../file/data-file.ts';
import { openFileReader } from '../file/file-reader.ts';
import { hasContent } from '../file/file-system.ts';
import { hasForeignLog, readImmutable } from '../life/check-life.ts';
import { createQueryable } from '../queryable.ts';

/** The path of a data file and how many animals it has, for a question. Undefined if there is no data. It changes no file. */
export async function describeReplaced(givenPath: string): Promise<string | undefined> {
  const path = findPath(givenPath);
  if (!hasContent(path)) return undefined;
  const animals = await countAnimals(path);
  return `${path} (${animals === undefined ? 'not readable' : pluralize(animals, 'animal')})`;
}

async function countIn(connection: Connection): Promise<number | undefined> {
  return (await readReplaced(createQueryable(connection), isDamage)).animals;
}

async function countAnimals(path: string): Promise<number | undefined> {
  try {
    // A log of another file is not applied.
    if (hasForeignLog(path)) return await readImmutable(path, countIn);
    using reader = openFileReader(path);
    return await countIn(reader.connection);
  } catch {
    // Whether the command can replace the file is its own question.
    return undefined;
  }
}
