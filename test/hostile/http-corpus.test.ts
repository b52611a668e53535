import { afterAll, describe, expect, test } from 'bun:test';
import { readPets } from '../support/answers.ts';
import { expectServing } from '../support/raw-http.ts';
import { openTestServer, type TestServer } from '../support/test-server.ts';
import { readWorkspaces } from '../support/whole-lists.ts';
import { apiKeyPlace, fragmented, type HttpCase, httpCorpus } from './http-corpus.ts';

/** The server closes what is silent for 10 s, to the nearest 4; what stays open for longer hangs. */
const hangMilliseconds = 20_000;

interface Outcome {
  readonly received: string;
  /** The requests that reached the app. */
  readonly dispatched: readonly string[];
  /** How many animals it left behind. */
  readonly stored: number;
}

/** Sends all at once, each on a connection of its own, since most of them end in waiting. */
async function sendAll(server: TestServer, cases: readonly HttpCase[]): Promise<Outcome[]> {
  const received = await Promise.all(
    cases.map(async ({ text, name }, index) => {
      const answer = await inTime(server.exchange(fill(server, text, index)), name);
      await expectServing(server);
      return answer;
    }),
  );
  const names = (await readAllPets(server)).map(({ name }) => name);
  return received.map((answer, index) => ({
    received: answer,
    dispatched: server.dispatched.filter((line) => numberIn(line) === number(index)),
    stored: names.filter((name) => name === number(index)).length,
  }));
}

function fill({ app }: TestServer, text: string, index: number): string {
  return text.replaceAll('CASE', number(index)).replaceAll(apiKeyPlace, app.apiKey);
}

function number(index: number): string {
  return String(index).padStart(4, '0');
}

function numberIn(line: string): string | undefined {
  return /case[=-]([0-9]{4})/.exec(line)?.[1];
}

async function inTime<Value>(promise: Promise<Value>, name: string): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`Hangs: ${name}`)), hangMilliseconds);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function readAllPets({ app }: TestServer) {
  return readPets(await app.send('/v1/pets?limit=100'));
}

interface Answered {
  readonly httpStatus: number;
  readonly body: string;
}

/** The answers over one connection, those in between (1xx) too; bodies are read by their lengths. */
function readAnswered(received: string, isHead: boolean): Answered[] {
  const answers: Answered[] = [];
  let rest = received;
  while (rest !== '') {
    const [head = ''] = rest.split('\r\n\r\n', 1);
    const httpStatus = Number(/^HTTP\/1\.1 ([1-5][0-9]{2}) /.exec(head)?.[1]);
    const first = answers.length === 0;
    const declared = Number(/^content-length: *([0-9]+)/im.exec(head)?.[1] ?? 0);
    const length = isHead && first ? 0 : declared;
    const body = rest.slice(head.length + 4, head.length + 4 + length);
    answers.push({ httpStatus, body });
    rest = rest.slice(head.length + 4 + length);
  }
  return answers;
}

function expectOutcome({ text, requestsMax, statuses }: HttpCase, outcome: Outcome): void {
  const answers = readAnswered(outcome.received, text.startsWith('HEAD'));
  expect(answers.map(({ httpStatus }) => httpStatus)).toEqual([...statuses]);
  expect(outcome.dispatched.length).toBeLessThanOrEqual(requestsMax);
  expect(outcome.dispatched.filter((line) => line.includes('smuggled'))).toEqual([]);
  for (const { httpStatus, body } of answers) {
    if (httpStatus >= 400 && body !== '') {
      expect(JSON.parse(body)).toStrictEqual({
        code: expect.any(String),
        message: expect.any(String),
        status: httpStatus,
      });
    }
  }
  expect(outcome.stored).toBeLessThanOrEqual(1);
  // One has a body whose name cannot hold the number of its case.
  if (statuses.at(-1) === 201 && !text.includes('1;a=b')) expect(outcome.stored).toBe(1);
}

describe('bytes that are not quite HTTP are dispatched at most once each, answered or cut off, and harm nobody:', () => {
  const opening = openTestServer();
  const outcomes = opening.then((server) => sendAll(server, httpCorpus));
  afterAll(async () => (await opening)[Symbol.asyncDispose]());

  test.each(httpCorpus.map((example, index) => [example.name, example, index] as const))(
    '%s',
    async (_name, example, index) => {
      const outcome = (await outcomes)[index];
      if (outcome === undefined) throw new Error('It was not sent');
      expectOutcome(example, outcome);
    },
  );

  test('every animal is one that a case asked for, and is there once', async () => {
    const server = await opening;
    await outcomes;
    const names = (await readAllPets(server)).map(({ name }) => name);
    // One whose number stands across two chunks goes without.
    expect(names.filter((name) => !/^(?:[0-9]{4}|CASE)$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    const [workspace] = await readWorkspaces(server.app.database, server.app.now);
    expect(workspace?.petCount).toBe(names.length);
  });

  test('no request reached the app but those that name their case', async () => {
    const server = await opening;
    await outcomes;
    const others = server.dispatched.filter((line) => numberIn(line) === undefined);
    // Each case is followed by a request on another connection, to see that it is served.
    expect(others).toEqual(httpCorpus.map(() => 'GET http://h.example/v1/pets'));
  });
});

describe('what is valid is answered alike in whichever two pieces it comes:', () => {
  test.each(fragmented.map((example) => [example.name, example] as const))(
    '%s',
    async (_name, example) => {
      await using server = await openTestServer();
      const text = fill(server, example.text, 0);
      const { statuses, requestsMax } = example;
      for (let index = 1; index < text.length; index += 1) {
        const before = server.dispatched.length;
        const received = await server.exchange(text.slice(0, index), text.slice(index));
        const answers = readAnswered(received, text.startsWith('HEAD'));
        expect(answers.map(({ httpStatus }) => httpStatus)).toEqual([...statuses]);
        expect(server.dispatched).toHaveLength(before + requestsMax);
      }
      expect(server.dispatched.filter((line) => line.includes('smuggled'))).toEqual([]);
      const stored = statuses.includes(201) ? text.length - 1 : 0;
      const [workspace] = await readWorkspaces(server.app.database, server.app.now);
      expect(workspace?.petCount).toBe(stored);
      await expectServing(server);
    },
  );
});
