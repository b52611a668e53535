/** A request by one of the recorded callers. */
export interface RecordedRequest {
  readonly caller: string;
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request, and the answer of the version that made the data. */
export interface Exchange {
  readonly request: RecordedRequest;
  readonly answer: Answer;
}

interface Answer {
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Every byte, because clients may rely on each digit. Of an error, only its code. */
  readonly body: string;
}

/** What one version answered on its own data. */
export interface GoldenAnswers {
  /** Milliseconds since 1970, when the answers were recorded. */
  readonly recordedAt: number;
  /** The digest of the last entry of the audit trail. */
  readonly auditDigest: string;
  /** The headers that name each caller. Their keys belong to this data alone. */
  readonly callers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** In this order: reads, replays under an `Idempotency-Key`, and then new writes. */
  readonly exchanges: readonly Exchange[];
}

type EngineOfAnswers = 'sqlite' | 'postgres';

/** Answers as the file has them: an exchange that differs by engine has both. */
interface StoredAnswers extends Record<EngineOfAnswers, Omit<GoldenAnswers, 'exchanges'>> {
  readonly exchanges: readonly (Exchange | Record<EngineOfAnswers, Exchange>)[];
}

/** One line for each engine and each exchange. Both engines got the same number of requests. */
export function formatAnswers(all: Record<EngineOfAnswers, GoldenAnswers>): string {
  const line = (value: unknown) => JSON.stringify(value);
  const heads = (['sqlite', 'postgres'] as const).map((engine) => {
    const { exchanges: _, ...head } = all[engine];
    return `"${engine}": ${line(head)}`;
  });
  const exchanges = all.sqlite.exchanges.map((sqlite, index) => {
    const postgres = all.postgres.exchanges[index];
    return line(sqlite) === line(postgres) ? line(sqlite) : line({ sqlite, postgres });
  });
  return `{\n${heads.join(',\n')},\n"exchanges": [\n${exchanges.join(',\n')}\n]}\n`;
}

export function parseAnswers(text: string, engine: EngineOfAnswers): GoldenAnswers {
  const stored: StoredAnswers = JSON.parse(text);
  const exchanges = stored.exchanges.map((each) => ('request' in each ? each : each[engine]));
  return { ...stored[engine], exchanges };
}

/** Headers that a client keeps or relies on. */
const comparedHeaders = [
  'content-type',
  'etag',
  'idempotent-replayed',
  'last-event-id',
  'link',
  'location',
  'ratelimit-policy',
];

/** Sends a recorded request, and returns the parts of the answer that must stay the same. */
export async function exchange(
  send: (path: string, init: RequestInit) => Promise<Response>,
  callers: GoldenAnswers['callers'],
  { caller, method, path, headers, body }: RecordedRequest,
): Promise<Answer> {
  const type = body === undefined ? undefined : { 'content-type': 'application/json' };
  const response = await send(path, {
    method,
    headers: { ...callers[caller], ...type, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const kept = comparedHeaders.flatMap((name) => {
    const value = response.headers.get(name);
    // Without the address of the server.
    return value === null ? [] : [[name, value.replaceAll(/https?:\/\/[^/]+/g, '')]];
  });
  const text = await response.text();
  return {
    httpStatus: response.status,
    headers: Object.fromEntries(kept),
    body: response.ok ? text : JSON.parse(text).code,
  };
}
