import { pluralize } from '../../domain/values/pluralize.ts';
import { readReplaced } from '../../storage/copies/restore.ts';
import { openImmutableConnection } from '../connection.ts';
import { isDamage } from '../errors.ts';
import { findPath } from '../file/data-file.ts';
import { openFileReader } from '../file/file-reader.ts';
import { hasContent } from '../file/file-system.ts';
import { hasForeignLog } from '../life/check-life.ts';
import { createQueryable } from '../queryable.ts';

/** The path of a data file and how many animals it has, for a question. Undefined if there is no data. It changes no file. */
export async function describeReplaced(givenPath: string): Promise<string | undefined> {
  const path = findPath(givenPath);
  if (!hasContent(path)) return undefined;
  const animals = await countAnimals(path);
  return `${path} (${animals === undefined ? 'not readable' : pluralize(animals, 'animal')})`;
}

async function countAnimals(path: string): Promise<number | undefined> {
  try {
    using opened = new DisposableStack();
    // A log of another file is not applied.
    const connection = hasForeignLog(path)
      ? opened.use(openImmutableConnection(path))
      : opened.use(openFileReader(path)).connection;
    return (await readReplaced(createQueryable(connection), isDamage)).animals;
  } catch {
    // Whether the command can replace the file is its own question.
    return undefined;
  }
}
