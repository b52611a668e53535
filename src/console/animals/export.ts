import type { PetQuery } from '../../../client/src/store.ts';
import { api } from '../api/api.ts';
import { categoryNames } from '../categories/categories-state.ts';
import { formatCsvLine, localSeparator } from '../import/csv.ts';
import { members } from './members.ts';

const exported = members.flatMap((member) => Object.entries(member.exported));
export const exportedHeadings = ['id', ...exported.map(([heading]) => heading)];

/** Saves all animals that match as a file for spreadsheets, and returns their number. */
export async function exportAnimals(query: PetQuery): Promise<number> {
  const separator = localSeparator();
  // Without the byte order mark, spreadsheets read the file in an old character set.
  const parts = ['\ufeff', formatCsvLine(exportedHeadings, separator)];
  // All pages come from one workspace, even if another one is chosen during the export.
  const own = api;
  let count = 0;
  for await (const { items } of own.pets.list({ ...query, limit: 100 }).pages()) {
    count += items.length;
    parts.push(
      ...items.map((pet) => {
        const cells = exported.map(([, cellOf]) => cellOf(pet, categoryNames));
        return formatCsvLine([pet.id, ...cells], separator);
      }),
    );
  }
  saveFile('animals.csv', parts);
  return count;
}

export function saveFile(name: string, parts: readonly string[]): void {
  const address = URL.createObjectURL(new Blob([...parts], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
