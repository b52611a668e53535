import { authorization } from '../sqlite-rig.ts';
import type { ServedRows } from './records.ts';

const requestMilliseconds = 15_000;

/** `httpStatus` is 0 if the server closed the connection or could not be reached, -1 if it did not answer in time. */
export interface Answer {
  readonly httpStatus: number;
  readonly body: unknown;
  readonly next: string | undefined;
}

export async function request(url: string, method = 'GET', body?: object): Promise<Answer> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        ...authorization,
        ...(body === undefined
          ? {}
          : {
              'content-type':
                method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
            }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(requestMilliseconds),
    });
    const text = await response.text();
    const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    return { httpStatus: response.status, body: text === '' ? undefined : JSON.parse(text), next };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    return { httpStatus: isLate ? -1 : 0, body: undefined, next: undefined };
  }
}

/** Reads every page of animals and orders; returns the answer that was not 200 otherwise. */
export async function readAll(origin: string): Promise<{ readonly rows: ServedRows } | Answer> {
  const rows = new Map<string, string>();
  for (const list of ['pets', 'store/orders']) {
    let url: string | undefined = `${origin}/v1/${list}?limit=5`;
    while (url !== undefined) {
      const answer: Answer = await request(url);
      if (answer.httpStatus !== 200) return answer;
      for (const [row, value] of readRows(answer.body)) rows.set(row, value);
      url = answer.next;
    }
  }
  return { rows };
}

function readRows(body: unknown): [string, string][] {
  const records = body as { id: number; name?: string; petId?: number }[];
  return records.map(({ id, name, petId }) =>
    name === undefined ? [`order ${id}`, `of ${petId}`] : [`pet ${id}`, name],
  );
}

/** The id of what was added. */
export function idIn(body: unknown): number {
  return (body as { id: number }).id;
}
