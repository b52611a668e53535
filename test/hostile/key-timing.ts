import { scopes } from '../../src/domain/access/api-key.ts';
import { defaultWorkspaceName } from '../../src/domain/access/workspace.ts';
import type { Database } from '../../src/domain/database/database.ts';
import { createAuthenticate, createFindApiKey } from '../../src/http/access/authenticate.ts';
import { newApiKey } from '../../src/http/access/new-api-key.ts';
import { type EngineName, engineNames, prepareData } from '../support/engines.ts';
import { done } from '../support/outcome.ts';
import type { Hostility } from './hostility.ts';

const keysOfEachKind = 1000;
const differenceNanosecondsMax = 1000;
/** A good key is remembered, and so differs from the others by at least this: what misses it is blind. */
const seenNanosecondsMin = 500;
/** What the first calls compile and load is no part of a look-up. */
const warmUpRounds = 2000;
const roundsFactorMax = 2;

export const keyTimingHostilities: readonly Hostility[] = engineNames.map((engine) => ({
  name: `key-timing-${engine}`,
  title: `bad keys that are near a good one and far from it, timed in pairs, on ${engine} (20 000 rounds, with --long 200 000)`,
  promise:
    'How long it takes to refuse a key tells nothing about how near it is to one that opens: the 95 % interval of the ' +
    'median difference lies within 1 µs.',
  run: ({ long }) => timeLookUps(engine, long ? 200_000 : 20_000),
}));

function requestWith(apiKey: string): Request {
  return new Request('http://animals.test', { headers: { authorization: `Bearer ${apiKey}` } });
}

async function timeLookUps(engine: EngineName, rounds: number) {
  await using data = await prepareData(engine);
  await using database = await data.open();
  const kinds = await makeKinds(database);
  const findApiKey = createFindApiKey({
    // So that unknown keys are looked up each time, also on SQLite.
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
    // All kinds stand side by side in each round, in any order, so that what slows the machine slows them alike.
    const requests = shuffle(names.map((name) => ({ name, request: requestWith(kinds[name]()) })));
    const nanoseconds = {} as Record<Kind, number>;
    for (const { name, request } of requests) {
      const startedAt = Bun.nanoseconds();
      await authenticate(request);
      nanoseconds[name] = Bun.nanoseconds() - startedAt;
    }
    for (const [name, values] of differences) values.push(nanoseconds[name] - nanoseconds.far);
  }

  function findTold(): readonly Kind[] {
    found = new Map([...differences].map(([name, values]) => [name, describeMedian(values)]));
    return judged.filter((name) => {
      const { from, to } = found.get(name) ?? nothing;
      return Math.max(Math.abs(from), Math.abs(to)) > differenceNanosecondsMax;
    });
  }

  for (let round = 0; round < warmUpRounds; round += 1) await measure();
  for (const values of differences.values()) values.length = 0;
  let measured = 0;
  let told = judged;
  // On a busy machine the intervals are wide, and become narrower with more rounds.
  while (told.length > 0 && measured < roundsFactorMax * rounds) {
    for (let round = 0; round < rounds; round += 1) await measure();
    measured += rounds;
    told = findTold();
  }
  // Where even two of one kind cannot be shown to be alike, only a difference that is shown counts.
  if (told.includes('far again')) told = told.filter((name) => isShown(found.get(name) ?? nothing));
  const broken = told.map((name) => `${name} can be told from far`);
  const control = found.get('good') ?? nothing;
  const isSeen = control.from > seenNanosecondsMin || control.to < -seenNanosecondsMin;
  if (!isSeen) {
    broken.push('the measurement is blind: it cannot tell a good key, which is remembered');
  }
  const figures = names
    .filter((name) => name !== 'far')
    .map((name) => {
      const { median, from, to } = found.get(name) ?? nothing;
      return `${name} ${micro(median)} µs (${micro(from)} to ${micro(to)})`;
    });
  return {
    figures: [`${measured} rounds, median difference to far: ${figures.join(', ')}`],
    broken,
  };
}

type Kind = 'far' | 'far again' | 'first letter off' | 'last letter off' | Known;
/** These are looked up, since something is known of them: whoever sends one has all of it. */
type Known = 'revoked' | 'expired' | 'good';

const judged: readonly Kind[] = ['far again', 'first letter off', 'last letter off'];

async function makeKinds(database: Database): Promise<Record<Kind, () => string>> {
  const now = Date.now();
  async function make(expiresAt?: number) {
    const { text, digest, lastFour } = newApiKey('production');
    const apiKey = { name: 'test', digest, lastFour, scopes, rateLimit: undefined, expiresAt };
    const workspaceName = defaultWorkspaceName;
    const { id } = done(await database.write('createApiKey', { workspaceName, apiKey, now }));
    return { text, id };
  }
  const many = (expiresAt?: number) =>
    Promise.all(Array.from({ length: keysOfEachKind }, () => make(expiresAt)));
  const good = await many();
  const revoked = await many();
  const expired = await many(now);
  for (const { id } of revoked) await database.write('revokeApiKey', { id, now });
  return {
    far: () => newApiKey('production').text,
    'far again': () => newApiKey('production').text,
    'first letter off': () => nearTo(pick(good).text, 0),
    'last letter off': () => nearTo(pick(good).text, 31),
    revoked: () => pick(revoked).text,
    expired: () => pick(expired).text,
    good: () => pick(good).text,
  };
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The key with another letter at one place of its secret, and the checksum that belongs to it. */
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
  /** The 95 % interval, by the order of the values: nothing is assumed about how they are spread. */
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

function isShown({ from, to }: Median): boolean {
  return from > differenceNanosecondsMax || to < -differenceNanosecondsMax;
}

function micro(nanoseconds: number): string {
  return (nanoseconds / 1000).toFixed(2);
}

function pick<Value>(values: readonly Value[]): Value {
  return values[Math.floor(Math.random() * values.length)] as Value;
}

function shuffle<Value>(values: Value[]): Value[] {
  for (let index = values.length - 1; index > 0; index -= 1) {
    const other = Math.floor(Math.random() * (index + 1));
    [values[index], values[other]] = [values[other] as Value, values[index] as Value];
  }
  return values;
}
