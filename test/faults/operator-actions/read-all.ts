import { type Answer, readPages } from '../requests.ts';
import type { ServedRows } from './records.ts';

interface ServedRecord {
  readonly id: number;
  readonly name?: string;
  readonly petId?: number;
}

/** Reads every page of animals and orders. Returns the first answer that is not 200. */
export async function readAll(
  origin: string,
): Promise<{ readonly rows: ServedRows } | Answer<unknown>> {
  const rows = new Map<string, string>();
  for (const list of ['pets', 'store/orders']) {
    for await (const page of readPages<ServedRecord>(`${origin}/v1/${list}?limit=5`)) {
      if (page.httpStatus !== 200) return page;
      for (const { id, name, petId } of page.body ?? []) {
        if (name === undefined) rows.set(`order ${id}`, `of ${petId}`);
        else rows.set(`pet ${id}`, name);
      }
    }
  }
  return { rows };
}
