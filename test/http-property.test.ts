import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type Pet, petStatuses } from '../src/domain/pet.ts';
import { newApiKey } from '../src/http/access/new-api-key.ts';
import { getPetRemovedAt } from '../src/http/operations/pets/get-pet.ts';
import { expectError, nextPath, parseExactly } from './support/answers.ts';
import { type OtherCall, operationCall, otherCall } from './support/calls.ts';
import { addPets } from './support/catalogue.ts';
import { mostly } from './support/input-arbitraries.ts';
import {
  type CallerName,
  type Expected,
  expectAnswer,
  filterOf,
  type ListPets,
  type Model,
  type ModelWorkspace,
  type OperationCall,
} from './support/model.ts';
import { undocumented } from './support/published-document.ts';
import { openTestApp, type TestApp, type TestKeyOptions, testNow } from './support/test-app.ts';

/** One takes a few seconds; more of them find more. */
const times = Number(process.env.ANIMAL_STORE_TEST_RUNS ?? 1);

const anyCall = fc.oneof(
  { weight: 10, arbitrary: operationCall },
  { weight: 1, arbitrary: otherCall },
);

test(
  'whatever is sent, every answer is one that the document lists, and the one that the model gives',
  async () => {
    const calls = fc.array(anyCall, { minLength: 1, maxLength: 40, size: 'max' });
    const isRemoved = mostly(fc.constant(false), fc.constant(true));
    const property = fc.asyncProperty(calls, isRemoved, async (sent, getPetIsRemoved) => {
      // Limited, so that answers have all the headers that they may have, and so high that none is refused.
      await using app = await openTestApp({ rateLimit: { count: 1_000_000, seconds: 1 } });
      const authorizations = await makeCallers(app);
      if (getPetIsRemoved) app.now = getPetRemovedAt;
      const workspaces = { default: startPets(8), other: startPets(5) };
      await addPets(app, workspaces.default.pets, 'default');
      await addPets(app, workspaces.other.pets, 'other');
      const model: Model = { workspaces, getPetIsRemoved, lastCursor: undefined };
      for (const call of sent) {
        const headers = headersOf(call, authorizations);
        if (call.operationId === undefined) await checkOther(app, call, headers);
        else await checkOperation(app, model, call, headers);
      }
      expect(app.failures).toEqual([]);
    });
    await fc.assert(property, {
      numRuns: 100 * times,
      // In time to tell what was found, before the test is given up.
      interruptAfterTimeLimit: 50_000 * times,
      markInterruptAsFailure: true,
    });
  },
  60_000 * times,
);

/** Enough for pages to follow each other. */
function startPets(count: number): ModelWorkspace {
  const pets = Array.from({ length: count }, (_, index) => ({
    id: BigInt(index + 1),
    name: `Rex ${index}`,
    categoryId: 9007199254740993n + BigInt(index),
    status: petStatuses[index % petStatuses.length] ?? 'available',
  }));
  return { pets, lastId: BigInt(count) };
}

type Authorizations = Record<CallerName, string | undefined>;

/** The value of `Authorization` of every caller; nobody sends none. */
async function makeCallers(app: TestApp): Promise<Authorizations> {
  await app.database.write('createWorkspace', { name: 'other', now: testNow });
  const bearer = async (options: TestKeyOptions = {}) =>
    `Bearer ${(await app.createKey(options)).text}`;
  const { text: revoked, id } = await app.createKey();
  await app.database.write('revokeApiKey', { id, now: testNow });
  const keeper = `Bearer ${app.apiKey}`;
  return {
    keeper,
    reader: await bearer({ scopes: ['pets:read'] }),
    writer: await bearer({ scopes: ['pets:write'] }),
    otherKeeper: await bearer({ workspace: 'other' }),
    otherReader: await bearer({ workspace: 'other', scopes: ['pets:read'] }),
    nobody: undefined,
    basic: 'Basic YTpi',
    malformed: 'Bearer x',
    unknown: `Bearer ${newApiKey('production').text}`,
    revoked: `Bearer ${revoked}`,
    expired: await bearer({ expiresAt: testNow }),
    staging: await bearer({ environment: 'staging' }),
    twice: `${keeper}, ${keeper}`,
  };
}

function headersOf(call: OperationCall | OtherCall, authorizations: Authorizations): Headers {
  const headers = new Headers();
  const authorization = authorizations[call.caller];
  if (authorization !== undefined) headers.set('authorization', authorization);
  if (call.operationId === undefined) return headers;
  if (call.prefer !== undefined) headers.set('prefer', call.prefer.text);
  if (call.requestId !== undefined) headers.set('x-request-id', call.requestId.text);
  if ('contentType' in call && call.contentType !== undefined) {
    headers.set('content-type', call.contentType.text);
  }
  if ('ifMatch' in call && call.ifMatch !== undefined) headers.set('if-match', call.ifMatch.text);
  return headers;
}

async function checkOther(app: TestApp, call: OtherCall, headers: Headers): Promise<void> {
  const response = await app.send(call.path, { method: call.method, headers, apiKey: null });
  if (call.expected === 'no_content') {
    expect(response.status).toBe(204);
  } else {
    await expectError(response, call.expected);
  }
  expect(response.headers.has('allow')).toBe(call.expected !== 'route_not_found');
}

async function checkOperation(
  app: TestApp,
  model: Model,
  call: OperationCall,
  headers: Headers,
): Promise<void> {
  const { method } = call;
  // As bytes, so that the request has no content type but the one that was chosen.
  const body = 'body' in call ? { body: Buffer.from(call.body.content) } : {};
  const path = pathOf(call, model);
  const response = await app.send(path, { method, headers, apiKey: null, ...body });
  const text = await response.clone().text();
  expect(undocumented(call.operationId, response, text)).toEqual([]);
  expectHeaders(response, call, model);
  const expected = expectAnswer(model, call);
  await expectExpected(response, text, expected);
  if (call.operationId === 'listPets' && 'page' in expected) {
    rememberCursor(model, call, response, expected.page);
  }
}

function pathOf(call: OperationCall, model: Model): string {
  const query = new URLSearchParams(call.unknownParameter ? { color: 'red' } : {});
  if ('petId' in call) {
    return `/v1/pets/${encodeURIComponent(call.petId.text)}?${query}`;
  }
  if (call.operationId === 'listPets') {
    for (const { text } of call.limits) query.append('limit', text);
    for (const { text } of call.statuses) query.append('status', text);
    for (const { text } of call.ids) query.append('id', text);
    const cursor = call.cursor === 'last' ? model.lastCursor : call.cursor;
    if (cursor !== undefined) query.append('cursor', cursor.text);
  }
  return `/v1/pets?${query}`;
}

function expectHeaders({ headers, ok }: Response, call: OperationCall, model: Model): void {
  if (call.requestId?.meaning !== undefined) {
    expect(headers.get('x-request-id')).toBe(call.requestId.meaning);
  }
  const isGetPet = call.operationId === 'getPet';
  const isStrict = ok && call.prefer?.meaning === 'strict';
  expect(headers.has('preference-applied')).toBe(isStrict);
  expect(headers.has('deprecation')).toBe(isGetPet && !model.getPetIsRemoved);
  expect(headers.has('sunset')).toBe(isGetPet);
  const isCreated = ok && call.operationId === 'createPet';
  expect(headers.has('location')).toBe(isCreated && !model.getPetIsRemoved);
}

async function expectExpected(response: Response, text: string, expected: Expected): Promise<void> {
  if ('codes' in expected) {
    const { code } = JSON.parse(text);
    expect(expected.codes).toContain(code);
    await expectError(response, code);
    return;
  }
  expect(response.ok).toBe(true);
  if ('gone' in expected) {
    expect([response.status, text]).toEqual([204, '']);
    return;
  }
  expect(parseExactly(text)).toStrictEqual('pet' in expected ? expected.pet : expected.page);
  if ('page' in expected) expect(nextPath(response) !== undefined).toBe(expected.more);
}

function rememberCursor(
  model: Model,
  call: ListPets,
  response: Response,
  page: readonly Pet[],
): void {
  const cursor = new URLSearchParams(nextPath(response)?.split('?')[1]).get('cursor');
  const last = page.at(-1);
  if (cursor === null || last === undefined) return;
  model.lastCursor = { text: cursor, belowId: last.id, filter: filterOf(call) };
}
