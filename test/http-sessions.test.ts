import { describe, expect, test } from 'bun:test';
import type { SessionPage } from '../console/src/contract.ts';
import { background } from '../src/context/context.ts';
import { sessionMilliseconds } from '../src/domain/access/console-session.ts';
import { digestApiKey } from '../src/http/access/authenticate.ts';
import { consoleOperations } from '../src/http/console/console-operations.ts';
import { newConsoleToken } from '../src/http/console/token.ts';
import { findAuditFault } from '../src/storage/access/audit-faults.ts';
import { expectError } from './support/answers.ts';
import { addWorkspace } from './support/catalogue.ts';
import {
  type ConsoleSession,
  cookieOf,
  idOf,
  jsonInit,
  sendFromPage,
  signIn,
  signInAsOwner,
  trySignInFrom,
} from './support/console-session.ts';
import { openTestApp, type TestApp, testNow } from './support/test-app.ts';
import { readAuditTrail } from './support/whole-lists.ts';

describe('the sessions that a session lists', () => {
  async function listFor({ send }: ConsoleSession, after = '') {
    const answer = await send(`/console/v1/sessions${after === '' ? '' : `?after=${after}`}`);
    expect(answer.status).toBe(200);
    return (await answer.json()) as SessionPage;
  }

  async function idsFor(page: ConsoleSession): Promise<string[]> {
    return (await listFor(page)).sessions.map(({ id }) => id);
  }

  const end = ({ send }: ConsoleSession, path: string) =>
    send(`/console/v1/sessions${path}`, { method: 'DELETE' });

  /** Owners whose tabs show two workspaces, two sessions of one key, and one of each other key, newest first. */
  async function openSessions(app: TestApp) {
    await addWorkspace(app, 'annex');
    const owner = await signInAsOwner(app);
    const annexOwner = await signInAsOwner(app, 'annex');
    const { text: desk } = await app.createKey({ scopes: ['pets:read'] });
    const { text: annexKey } = await app.createKey({ workspace: 'annex' });
    const opened = [owner, annexOwner];
    for (const apiKey of [desk, desk, app.apiKey, annexKey]) {
      app.now += 1;
      opened.push(await signIn(app, { apiKey }));
    }
    const [first, second, other, annex] = opened.slice(2);
    if (first === undefined || second === undefined || other === undefined || annex === undefined) {
      throw new Error('Four keys signed in');
    }
    return { owner, annexOwner, first, second, other, annex };
  }

  test('are those of all owners and of the keys of its workspace for an owner, and those of the same key for a key', async () => {
    await using app = await openTestApp();
    const { owner, annexOwner, first, second, other, annex } = await openSessions(app);
    const owners = [owner, annexOwner].map(idOf).sort().reverse();
    expect((await idsFor(owner)).slice(0, 3)).toEqual([other, second, first].map(idOf));
    expect((await idsFor(owner)).slice(3)).toEqual(owners);
    expect(await idsFor(annexOwner)).toEqual([idOf(annex), ...owners]);
    expect(await idsFor(first)).toEqual([second, first].map(idOf));
    const [, own] = (await listFor(first)).sessions;
    expect(own).toStrictEqual({
      id: idOf(first),
      isOwn: true,
      kind: 'api_key',
      apiKeyName: 'test',
      workspace: 'default',
      signedInAt: new Date(testNow + 1).toISOString(),
      lastActiveAt: new Date(testNow + 1).toISOString(),
      expiresAt: new Date(testNow + 1 + sessionMilliseconds).toISOString(),
      address: null,
    });
    for (const after of [
      '',
      '1',
      '1.xyz',
      `1.${'a'.repeat(16)}.2`,
      `${'9'.repeat(20)}.${idOf(owner)}`,
    ]) {
      const answer = await first.send(`/console/v1/sessions?after=${after}`);
      await expectError(answer, 'invalid_parameter');
    }
  });

  test('come in pages, each session once', async () => {
    await using app = await openTestApp();
    const owner = await signInAsOwner(app);
    const signIns = Array.from({ length: 105 }, (_, count) =>
      count % 2 === 0 ? signInAsOwner(app) : signIn(app, { apiKey: app.apiKey }),
    );
    await Promise.all(signIns);
    const first = await listFor(owner);
    const second = await listFor(owner, first.nextAfter ?? '');
    expect([first.sessions.length, second.sessions.length, second.nextAfter]).toEqual([
      100,
      6,
      null,
    ]);
    const ids = [...first.sessions, ...second.sessions].map(({ id }) => id);
    expect(new Set(ids).size).toBe(106);
    const answer = await end(owner, '?except=own');
    expect(await answer.json()).toEqual({ endedCount: 53 });
    expect((await idsFor(owner)).length).toBe(53);
    const trail = await readAuditTrail(app.database);
    const head = { count: trail.length, digest: trail.at(-1)?.digest ?? '' };
    expect(await findAuditFault([trail], head)).toBeUndefined();
  });

  test('have the address of the client for an owner alone, also with many later entries of the audit trail', async () => {
    await using app = await openTestApp();
    const owner = await signInAsOwner(app);
    const cookie = cookieOf(await trySignInFrom(app, '192.0.2.7', { apiKey: app.apiKey }));
    const seen = await sendFromPage(app, '/console/v1/sessions', { headers: { cookie } });
    expect(await seen.json()).toMatchObject({ sessions: [{ isOwn: true, address: null }] });
    const names = Array.from({ length: 500 }, (_, index) => `shop-${index}`);
    await Promise.all(names.map((name) => addWorkspace(app, name)));
    const addresses = (await listFor(owner)).sessions.map(({ isOwn, address }) => [isOwn, address]);
    expect(addresses.sort()).toEqual([
      [false, '192.0.2.7'],
      [true, null],
    ]);
  });

  test('can be ended one by one, and no others: the next request is refused, and the audit trail has the session that did it', async () => {
    await using app = await openTestApp();
    const { owner, annexOwner, first, second, other, annex } = await openSessions(app);
    for (const [page, hidden] of [
      [first, other],
      [first, owner],
      [owner, annex],
    ] as const) {
      await expectError(await end(page, `/${idOf(hidden)}`), 'not_found');
    }
    for (const wrong of ['x', '0123456789abcdef', '0123456789ABCDEF', '..%2Fkeys']) {
      await expectError(await end(owner, `/${wrong}`), 'not_found');
    }
    for (const [page, ended] of [
      [first, second],
      [owner, first],
      [owner, annexOwner],
    ] as const) {
      const path = `/${idOf(ended)}`;
      expect((await ended.send('/console/v1/session')).status).toBe(200);
      expect((await end(page, path)).status).toBe(204);
      await expectError(await ended.send('/console/v1/session'), 'missing_api_key');
      await expectError(await end(page, path), 'not_found');
    }
    const entries = (await readAuditTrail(app.database))
      .filter(({ event }) => event === 'console_session_ended')
      .map(({ details }) => JSON.parse(details));
    expect(
      entries.map(({ session, kind, workspace, endedBy }) => [session, kind, workspace, endedBy]),
    ).toEqual([
      [idOf(second), 'api_key', 'default', idOf(first)],
      [idOf(first), 'api_key', 'default', idOf(owner)],
      [idOf(annexOwner), 'owner', 'default', idOf(owner)],
    ]);
    expect((await other.send('/console/v1/session')).status).toBe(200);
    expect((await annex.send('/console/v1/session')).status).toBe(200);
  });

  test('end everywhere by one action: those of all owners for an owner, and those of the same key for a key', async () => {
    await using app = await openTestApp();
    const { owner, annexOwner, first, second, other } = await openSessions(app);
    const kept = await end(first, '?except=own');
    expect([await kept.json(), kept.headers.getSetCookie()]).toEqual([{ endedCount: 1 }, []]);
    await expectError(await second.send('/console/v1/session'), 'missing_api_key');
    expect((await first.send('/console/v1/session')).status).toBe(200);
    await expectError(await end(first, '?except=all'), 'invalid_parameter');

    // More than one step ends.
    const { text, id } = await app.createKey();
    const holder = await signIn(app, { apiKey: text });
    const workspace = { workspaceId: 1n, workspaceName: 'default' };
    const apiKey = { id, digest: digestApiKey(text), ...workspace };
    const opened = {
      replaces: undefined,
      address: undefined,
      now: app.now,
      expiresAt: app.now + 1,
    };
    const digests = Array.from({ length: 250 }, () => newConsoleToken().digest);
    await Promise.all(
      digests.map((digest) =>
        app.database.write(background, 'openApiKeySession', { ...opened, digest, apiKey }),
      ),
    );
    expect(await (await end(holder, '')).json()).toEqual({ endedCount: 251 });

    const out = await end(owner, '');
    expect(await out.json()).toEqual({ endedCount: 2 });
    expect(out.headers.getSetCookie()).toContain(
      'animal-store-live=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=0',
    );
    for (const ended of [owner, annexOwner]) {
      await expectError(await ended.send('/console/v1/session'), 'missing_api_key');
    }
    for (const open of [first, other]) {
      expect((await open.send('/console/v1/session')).status).toBe(200);
    }
  });
});

describe('every operation of the console', () => {
  test('needs its session or that of an owner, except to sign in and out, and a page of the same site', async () => {
    await using app = await openTestApp();
    const owner = await signInAsOwner(app);
    const holder = await signIn(app, { apiKey: app.apiKey });
    const open: string[] = [];
    const ofOwners: string[] = [];
    for (const { operationId, method, access, requestBody, path: pattern } of consoleOperations) {
      const path = `/console/v1${pattern.replace(/\{\w+\}/, '1')}`;
      const init = requestBody === undefined ? { method } : jsonInit(method, {});
      const headers = { ...Object(init.headers), 'sec-fetch-site': 'cross-site' };
      const foreign = await owner.send(path, { ...init, headers });
      await expectError(foreign, 'forbidden_origin');
      if (access === 'none') open.push(operationId);
      else await expectError(await sendFromPage(app, path, init), 'missing_api_key');
      if (access !== 'owner') continue;
      ofOwners.push(operationId);
      await expectError(await holder.send(path, init), 'insufficient_scope');
    }
    expect(open).toEqual(['signIn', 'signOut']);
    // Written out: a declaration that loses its access would leave the loop above.
    const ofKeys = ['listKeys', 'createKey', 'rotateKey', 'revokeKey'];
    expect(ofOwners).toEqual(['findWorkspaces', ...ofKeys]);
  });
});
