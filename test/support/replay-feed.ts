import { formatExactJson } from '../../src/domain/values/exact-json.ts';
import { parseExactly } from './answers.ts';

type Json = Readonly<Record<string, unknown>>;

interface Event {
  readonly sequence: bigint;
  readonly type: string;
  readonly data: Json;
  readonly previous?: Json;
}

/** The result of all events of a feed. */
interface Replayed {
  /** The JSON of each existing record, by kind and id such as `pet 1`. */
  readonly records: ReadonlyMap<string, string>;
  /** The first event that contradicts those before it. */
  readonly wrong: string | undefined;
}

/** Applies the events in order. Each must fit the state after those before it. */
export function replay(texts: readonly string[]): Replayed {
  const records = new Map<string, Json>();
  let wrong: string | undefined;
  for (const [index, text] of texts.entries()) {
    const { sequence, type, data, previous } = parseExactly(text) as Event;
    const [kind = '', what = ''] = type.split('.');
    const key = `${kind} ${data.id}`;
    const before = records.get(key);
    const expected =
      what === 'created' ? undefined : what === 'deleted' ? data : undo(data, previous);
    if (sequence !== BigInt(index + 1) || !isSame(before, expected)) wrong ??= text;
    if (what === 'deleted') records.delete(key);
    else records.set(key, data);
  }
  return {
    records: new Map([...records].map(([key, data]) => [key, formatExactJson(data)])),
    wrong,
  };
}

function undo(data: Json, previous: Json = {}): Json {
  const members = Object.entries({ ...data, ...previous }).filter(([, value]) => value !== null);
  return Object.fromEntries(members);
}

/** Compares without regard to the order of members. */
function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return Bun.deepEquals(one, other);
}

/** The texts of all events. `get` answers for an address below the base, such as `/events`. */
export async function readFeed(get: (path: string) => Promise<Response>): Promise<string[]> {
  const texts: string[] = [];
  for (let position = '0'; ; ) {
    const response = await get(`/events?after=${position}&limit=100`);
    if (!response.ok) throw new Error(`The feed was answered ${response.status}`);
    texts.push(...splitArray(await response.text()));
    position = response.headers.get('last-event-id') ?? '';
    if (!response.headers.has('link')) return texts;
  }
}

/** The items of an array of events as written. Each begins with its id. */
function splitArray(text: string): string[] {
  return text === '[]' ? [] : text.slice(1, -1).split(/,(?=\{"id":"evt_)/);
}
