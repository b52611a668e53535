import type { PetQuery } from '../../../client/src/store.ts';
import { currentApi } from '../api/session.ts';
import { categoryNames } from '../categories/categories-state.ts';
import { formatCsvLine, localSeparator } from '../parts/csv.ts';
import { saveCsvFile } from '../parts/save-file.ts';
import { exportedHeadings, members } from './members.ts';

const exported = members.flatMap((member) => Object.entries(member.exported));

/** Saves all animals that match as a file for spreadsheets, and returns their number. */
export async function exportAnimals(query: PetQuery): Promise<number> {
  const separator = localSeparator();
  const lines = [formatCsvLine(exportedHeadings, separator)];
  for await (const pet of currentApi().pets.list({ ...query, limit: 100 })) {
    const cells = exported.map(([, cellOf]) => cellOf(pet, categoryNames));
    lines.push(formatCsvLine([pet.id, ...cells], separator));
  }
  saveCsvFile('animals.csv', lines);
  return lines.length - 1;
}
