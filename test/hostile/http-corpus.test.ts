import { afterAll, describe, expect, test } from 'bun:test';
import { readPets } from '../support/answers.ts';
import { expectServing } from '../support/raw-http.ts';
import { openTestServer, type TestServer } from '../support/test-server.ts';
import { readWorkspaces } from '../support/whole-lists.ts';
import {
  fillCase,
  fragmented,
  type HttpCase,
  httpCorpus,
  caseNumber as number,
  caseNumberIn as numberIn,
} from './http-corpus.ts';

/** `npm run test:long` splits a request at every byte. */
const splitEvery = process.env.ANIMAL_STORE_TEST_LONG === undefined ? 9 : 1;

/** The server closes silent connections after 10 to 14 s. */
const hangMilliseconds = 20_000;

interface Outcome {
  readonly received: string;
  /** The requests that reached the app. */
  readonly dispatched: readonly string[];
  /** Number of stored animals. */
  readonly stored: number;
}

/** Sends all cases together, each on its own connection, because most of them end with a timeout. */
async function sendAll(server: TestServer, cases: readonly HttpCase[]): Promise<Outcome[]> {
  const received = await Promise.all(
    cases.map(async ({ text, name }, index) => {
      const hang = Bun.sleep(hangMilliseconds).then(() => {
        throw new Error(`Hangs: ${name}`);
      });
      const answer = await Promise.race([
        server.exchange(fillCase(text, index, server.app.apiKey)),
        hang,
      ]);
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

async function readAllPets({ app }: TestServer) {
  return readPets(await app.send('/v1/pets?limit=100'));
}

interface Answered {
  readonly httpStatus: number;
  readonly body: string;
}

/** The answers on one connection, with 1xx answers. Each body has its Content-Length. */
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
  // The case with an extension in each chunk has no place for its number in the name.
  if (statuses.at(-1) === 201 && !text.includes('1;a=b')) expect(outcome.stored).toBe(1);
}

describe('malformed HTTP is dispatched at most once, answered or cut off, and has no effect on other clients:', () => {
  const opening = openTestServer();
  const outcomes = opening.then((server) => sendAll(server, httpCorpus));
  afterAll(async () => (await opening)[Symbol.asyncDispose]());

  test.each(httpCorpus.map((example, index) => [example.name, example, index] as const))(
    '%s',
    async (_name, example, index) => {
      const outcome = (await outcomes)[index];
      if (outcome === undefined) throw new Error('The case was not sent');
      expectOutcome(example, outcome);
    },
  );

  test('every stored animal belongs to one case and is stored once', async () => {
    const server = await opening;
    await outcomes;
    const names = (await readAllPets(server)).map(({ name }) => name);
    // The case with its name in two chunks keeps the word CASE.
    expect(names.filter((name) => !/^(?:[0-9]{4}|CASE)$/.test(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    const [workspace] = await readWorkspaces(server.app.database, server.app.now);
    expect(workspace?.petCount).toBe(names.length);
  });

  test('no other request reached the app than those of the cases', async () => {
    const server = await opening;
    await outcomes;
    const others = server.dispatched.filter((line) => numberIn(line) === undefined);
    // After each case, a request on another connection must be answered.
    expect(others).toEqual(httpCorpus.map(() => 'GET http://h.example/v1/pets'));
  });
});

describe('a valid request gets the same answer wherever it is split in two:', () => {
  test.each(fragmented.map((example) => [example.name, example] as const))(
    '%s',
    async (_name, example) => {
      await using server = await openTestServer();
      const text = fillCase(example.text, 0, server.app.apiKey);
      const { statuses, requestsMax } = example;
      const places = Array.from({ length: text.length - 1 }, (_, index) => index + 1).filter(
        (place) => place % splitEvery === 0 || text.slice(place - 2, place + 2).includes('\r\n'),
      );
      for (const index of places) {
        const before = server.dispatched.length;
        const received = await server.exchange(text.slice(0, index), text.slice(index));
        const answers = readAnswered(received, text.startsWith('HEAD'));
        expect(answers.map(({ httpStatus }) => httpStatus)).toEqual([...statuses]);
        expect(server.dispatched).toHaveLength(before + requestsMax);
      }
      expect(server.dispatched.filter((line) => line.includes('smuggled'))).toEqual([]);
      const stored = statuses.includes(201) ? places.length : 0;
      const [workspace] = await readWorkspaces(server.app.database, server.app.now);
      expect(workspace?.petCount).toBe(stored);
      await expectServing(server);
    },
  );
});
