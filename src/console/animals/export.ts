import type { PetQuery } from '../../../client/src/store.ts';
import { api } from '../api/api.ts';
import { categoryName } from '../categories/categories-state.ts';
import { formatCsvLine, localSeparator } from '../import/csv.ts';

export const exportedColumns = ['id', 'name', 'categoryId', 'category', 'status'] as const;

/** Saves all animals that fit, however many, as a file for spreadsheets; gives their number. */
export async function exportAnimals(query: PetQuery): Promise<number> {
  const separator = localSeparator();
  // Spreadsheets take a file without it for one in their own old character set.
  const parts = ['\ufeff', formatCsvLine(exportedColumns, separator)];
  // Those of one workspace, also where another is chosen meanwhile.
  const own = api;
  let count = 0;
  for await (const { items } of own.pets.list({ ...query, limit: 100 }).pages()) {
    count += items.length;
    parts.push(
      ...items.map(({ id, name, categoryId, status }) =>
        formatCsvLine([id, name, categoryId, categoryName(categoryId) ?? '', status], separator),
      ),
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
