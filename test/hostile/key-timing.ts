import { background } from '../../src/context/context.ts';
import { createAuthenticate, createFindApiKey } from '../../src/http/access/authenticate.ts';
import { newApiKey } from '../../src/http/access/new-api-key.ts';
import type { Database } from '../../src/storage/contract/database.ts';
import type { LongTest } from '../faults/long-test.ts';
import { type EngineName, engineNames, prepareData } from '../support/engines.ts';
import { createKey } from '../support/new-key.ts';

const keysOfEachKind = 1000;
const differenceNanosecondsMax = 1000;
/** A valid key is cached, so its time must differ by at least this. Otherwise the measurement is useless. */
const seenNanosecondsMin = 500;
/** The first calls are slower, because code is compiled. */
const warmUpRounds = 2000;
const roundsFactorMax = 2;
/** Longer than the test, so that PostgreSQL keeps valid keys in the cache too. */
const staleMillisecondsMax = 3_600_000;

export const keyTiming: readonly LongTest[] = engineNames.map((engine) => ({
  name: `key-timing-${engine}`,
  title: `time to refuse keys that are similar to a valid key or not, on ${engine} (5000 rounds, with --long 200 000)`,
  run: ({ long }) => timeLookUps(engine, long ? 200_000 : 5000),
}));

function requestWith(apiKey: string): Request {
  return new Request('http://animals.test', { headers: { authorization: `Bearer ${apiKey}` } });
}

async function timeLookUps(engine: EngineName, rounds: number) {
  await using data = await prepareData(engine);
  await using database = await data.open({ staleMillisecondsMax });
  const kinds = await makeKinds(database);
  const findApiKey = createFindApiKey({
    // With this value, unknown keys are looked up each time, also on SQLite.
    database: { ...database, staleMillisecondsMax: 1 },
    environment: 'production',
    now: Date.now,
    operatorApiKey: undefined,
  });
  const authenticate = createAuthenticate(findApiKey);
  const names = Object.keys(kinds) as Kind[];
  const differences = new Map(names.map((name) => [name, [] as number[]]));
  let found = new Map<Kind, Median>();

  async function measure(): Promise<void> {
    // Each round has all kinds in random order, so that a busy machine slows them alike.
    const requests = shuffle(names.map((name) => ({ name, request: requestWith(kinds[name]()) })));
    const nanoseconds = {} as Record<Kind, number>;
    for (const { name, request } of requests) {
      const startedAt = Bun.nanoseconds();
      await authenticate({ request, call: background });
      nanoseconds[name] = Bun.nanoseconds() - startedAt;
    }
    for (const [name, values] of differences) values.push(nanoseconds[name] - nanoseconds.far);
  }

  function findDifferent(): readonly Kind[] {
    found = new Map([...differences].map(([name, values]) => [name, describeMedian(values)]));
    return checked.filter((name) => {
      const { from, to } = found.get(name) ?? nothing;
      return Math.max(Math.abs(from), Math.abs(to)) > differenceNanosecondsMax;
    });
  }

  for (let round = 0; round < warmUpRounds; round += 1) await measure();
  for (const values of differences.values()) values.length = 0;
  let measured = 0;
  let different = checked;
  // On a busy machine the intervals are wide. More rounds make them narrower.
  while (different.length > 0 && measured < roundsFactorMax * rounds) {
    for (let round = 0; round < rounds; round += 1) await measure();
    measured += rounds;
    different = findDifferent();
  }
  // If the control of equal keys is too wide, only a significant difference counts.
  if (different.includes('far again')) {
    different = different.filter((name) => isSignificant(found.get(name) ?? nothing));
  }
  const late = different.map((name) => `the time differs between ${name} and far`);
  const control = found.get('good') ?? nothing;
  const isSeen = control.from > seenNanosecondsMin || control.to < -seenNanosecondsMin;
  if (!isSeen) late.push('the measurement does not see the difference of a valid, cached key');
  const figures = names
    .filter((name) => name !== 'far')
    .map((name) => {
      const { median, from, to } = found.get(name) ?? nothing;
      return `${name} ${micro(median)} µs (${micro(from)} to ${micro(to)})`;
    });
  return {
    figures: [`${measured} rounds, median difference to far: ${figures.join(', ')}`],
    broken: [],
    late,
  };
}

type Kind = 'far' | 'far again' | 'first letter off' | 'last letter off' | 'good';

const checked: readonly Kind[] = ['far again', 'first letter off', 'last letter off'];

async function makeKinds(database: Database): Promise<Record<Kind, () => string>> {
  const good = await Promise.all(
    Array.from({ length: keysOfEachKind }, async () => {
      const { text, digest, lastFour } = newApiKey('production');
      await createKey(database, { digest, lastFour });
      return text;
    }),
  );
  // Made and repeated like the similar keys, so that only the similarity differs.
  const absent = Array.from({ length: keysOfEachKind }, () => newApiKey('production'));
  return {
    far: () => nearTo(pick(absent).text, 0),
    'far again': () => nearTo(pick(absent).text, 0),
    'first letter off': () => nearTo(pick(good), 0),
    'last letter off': () => nearTo(pick(good), 31),
    good: () => pick(good),
  };
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The key with another letter at one place of its secret, and the correct checksum. */
function nearTo(text: string, place: number): string {
  const at = 'anst_live_'.length + place;
  const body = `${text.slice(0, at)}${text[at] === 'a' ? 'b' : 'a'}${text.slice(at + 1, -6)}`;
  let rest = Bun.hash.crc32(body);
  let checksum = '';
  for (let index = 0; index < 6; index += 1) {
    checksum = alphabet[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return body + checksum;
}

interface Median {
  readonly median: number;
  /** The 95 % interval from the order of the values, without an assumption about their distribution. */
  readonly from: number;
  readonly to: number;
}

const nothing: Median = { median: 0, from: 0, to: 0 };

function describeMedian(values: readonly number[]): Median {
  const sorted = new Float64Array(values).sort();
  const middle = sorted.length / 2;
  const half = 0.98 * Math.sqrt(sorted.length);
  const at = (place: number) => sorted[Math.floor(place)] ?? 0;
  return { median: at(middle), from: at(middle - half), to: at(middle + half) };
}

function isSignificant({ from, to }: Median): boolean {
  return from > differenceNanosecondsMax || to < -differenceNanosecondsMax;
}

function micro(nanoseconds: number): string {
  return (nanoseconds / 1000).toFixed(2);
}

function pick<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}

function shuffle<Value>(values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, order: Math.random() }))
    .sort((left, right) => left.order - right.order)
    .map(({ value }) => value);
}
