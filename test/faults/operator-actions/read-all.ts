import { type Answer, request } from '../requests.ts';
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
    let url: string | undefined = `${origin}/v1/${list}?limit=5`;
    while (url !== undefined) {
      const answer: Answer<ServedRecord[]> = await request(url);
      if (answer.httpStatus !== 200) return answer;
      for (const { id, name, petId } of answer.body ?? []) {
        if (name === undefined) rows.set(`order ${id}`, `of ${petId}`);
        else rows.set(`pet ${id}`, name);
      }
      url = answer.next;
    }
  }
  return { rows };
}
