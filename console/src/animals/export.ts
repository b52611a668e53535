import { categoryNames } from '../categories/categories-state.ts';
import { formatCsvLine, localSeparator } from '../files/csv.ts';
import { saveCsvFile } from '../files/save-file.ts';
import { allRecords } from '../lists/list-pages.ts';
import type { Filter, Order } from './filter.ts';
import { listAnimals } from './list-animals.ts';
import { exportedHeadings, members } from './members.ts';

const exported = members.flatMap((member) => Object.entries(member.exported));

/** Saves all animals that match as a file for spreadsheets, and returns their number. */
export async function exportAnimals(filter: Filter, order: Order): Promise<number> {
  const separator = localSeparator();
  const lines = [formatCsvLine(exportedHeadings, separator)];
  for await (const pet of allRecords(listAnimals(filter, order))) {
    const cells = exported.map(([, cellOf]) => cellOf(pet, categoryNames));
    lines.push(formatCsvLine([pet.id, ...cells], separator));
  }
  saveCsvFile('animals.csv', lines);
  return lines.length - 1;
}
