import { describe, expect, test } from 'bun:test';
import { BlockList } from 'node:net';
import { background } from '../src/context/context.ts';
import { defaultScopes, scopes } from '../src/domain/access/api-key.ts';
import {
  linkMilliseconds,
  sessionMilliseconds,
  sessionMillisecondsMax,
} from '../src/domain/access/console-session.ts';
import { createHideApiKeys } from '../src/domain/access/hide-api-keys.ts';
import { createFeed } from '../src/http/feed/feed.ts';
import { operations } from '../src/http/operations.ts';
import type { CorsOrigins } from '../src/http/response-policy.ts';
import { expectError } from './support/answers.ts';
import { addPets, addWorkspace, equalPets } from './support/catalogue.ts';
import {
  consoleOrigin,
  cookieOf,
  idOf,
  jsonInit,
  makeLink,
  sendFromPage,
  signIn,
  signInAsOwner,
  trySignIn,
  trySignInFrom,
} from './support/console-session.ts';
import { operatorKeyOf } from './support/new-key.ts';
import { openTestApp, type TestApp, testNow } from './support/test-app.ts';
import { openTestServer } from './support/test-server.ts';
import { readApiKeys, readAuditTrail } from './support/whole-lists.ts';

const rex = { name: 'Rex', categoryId: 1 };

/** The end of a session that was just opened. */
const freshEnd = {
  expiresAt: new Date(testNow + sessionMilliseconds).toISOString(),
  secondsLeft: sessionMilliseconds / 1000,
  idleSeconds: 0,
  mayContinue: true,
};

async function countAnimals(app: TestApp): Promise<number> {
  return JSON.parse(await (await app.send('/v1/pets')).text()).length;
}

async function auditEvents({ database }: TestApp) {
  return (await readAuditTrail(database)).map(({ event, details }) => ({
    event,
    ...JSON.parse(details),
  }));
}

describe('a link', () => {
  test('signs an owner in once, with every scope and all workspaces', async () => {
    await using app = await openTestApp();
    await addWorkspace(app, 'annex');
    const link = await makeLink(app);
    const response = await trySignIn(app, { link });
    expect(response.status).toBe(201);
    const session = {
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      kind: 'owner',
      workspace: 'default',
      environment: 'production',
      scopes,
      apiKeyId: null,
      apiKeyName: null,
      eventPosition: 0,
      ...freshEnd,
      workspaces: ['annex', 'default'],
      hasMoreWorkspaces: false,
    };
    expect(await response.json()).toStrictEqual(session);
    const cookie = cookieOf(response);
    const again = await sendFromPage(app, '/console/v1/session', { headers: { cookie } });
    expect(await again.json()).toStrictEqual(session);

    const message = await expectError(await trySignIn(app, { link }), 'invalid_api_key');
    expect(message).toBe('The link is incomplete, was used before, or is older than five minutes');
  });

  test('that two browsers use at the same time signs one of them in', async () => {
    await using app = await openTestApp();
    const link = await makeLink(app);
    const answers = await Promise.all([1, 2, 3].map(() => trySignIn(app, { link })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
  });

  test('signs no user in after five minutes', async () => {
    await using app = await openTestApp();
    const [early, late] = [await makeLink(app), await makeLink(app)];
    app.now = testNow + linkMilliseconds - 1;
    expect((await trySignIn(app, { link: early })).status).toBe(201);
    app.now = testNow + linkMilliseconds;
    await expectError(await trySignIn(app, { link: late }), 'invalid_api_key');
  });

  test('is not a session, and a session is not a link', async () => {
    await using app = await openTestApp();
    const link = await makeLink(app);
    const headers = { cookie: `animal-store-live=${link}` };
    await expectError(
      await sendFromPage(app, '/console/v1/session', { headers }),
      'missing_api_key',
    );
    const page = await signIn(app, { link });
    const token = page.cookie.replace('animal-store-live=', '');
    await expectError(await trySignIn(app, { link: token }), 'invalid_api_key');
  });
});

describe('a pasted key', () => {
  test('is exchanged for a cookie that only the console receives, and gives the session its workspace and scopes', async () => {
    await using app = await openTestApp();
    await addWorkspace(app, 'annex');
    const annex = { workspace: 'annex', scopes: ['pets:read'] } as const;
    const { id, text: apiKey } = await app.createKey(annex);
    const response = await trySignIn(app, { apiKey });
    expect(response.headers.get('set-cookie')).toMatch(
      /^animal-store-live=[A-Za-z0-9_-]{43}; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=604800$/,
    );
    expect(await response.json()).toStrictEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      kind: 'api_key',
      workspace: 'annex',
      environment: 'production',
      scopes: ['pets:read'],
      apiKeyId: Number(id),
      apiKeyName: 'test',
      eventPosition: null,
      ...freshEnd,
    });
  });

  test.each([
    ['https://animals.example/v1', '__Host-', '/'],
    ['https://example.test/shop/v1', '__Secure-', '/shop/console'],
    ['https://example.test/console/v1', '__Secure-', '/console/console'],
  ])(
    'at %s is exchanged for a Secure cookie with the name %s and the path %s',
    async (production, prefix, path) => {
      await using app = await openTestApp({ publicUrls: { production } });
      const response = await trySignIn(app, { apiKey: app.apiKey });
      const cookie = response.headers.get('set-cookie') ?? '';
      expect(cookie.replace(/=[A-Za-z0-9_-]{43};/, '=TOKEN;')).toBe(
        `${prefix}animal-store-live=TOKEN; Path=${path}; HttpOnly; SameSite=Strict; Secure; Max-Age=604800`,
      );
      const headers = { cookie: cookieOf(response) };
      expect((await sendFromPage(app, '/console/v1/pets', { headers })).status).toBe(200);
      const bare = { cookie: cookieOf(response).replace(prefix, '') };
      await expectError(
        await sendFromPage(app, '/console/v1/pets', { headers: bare }),
        'missing_api_key',
      );
    },
  );

  test('that expires before a session ends the session then', async () => {
    await using app = await openTestApp();
    const { text: apiKey } = await app.createKey({ expiresAt: testNow + 60_000 });
    const response = await trySignIn(app, { apiKey });
    expect(response.headers.get('set-cookie')).toEndWith('Max-Age=60');
    const headers = { cookie: cookieOf(response) };
    app.now = testNow + 59_999;
    expect((await sendFromPage(app, '/console/v1/pets', { headers })).status).toBe(200);
    app.now = testNow + 60_000;
    await expectError(await sendFromPage(app, '/console/v1/pets', { headers }), 'missing_api_key');
  });

  test('of the operator signs in with every scope while the server is configured with it', async () => {
    const text = 'operator.chosen/key-0001==';
    await using app = await openTestApp({ operatorApiKey: operatorKeyOf(text) });
    const page = await signIn(app, { apiKey: text });
    expect(page.signedIn).toMatchObject({
      kind: 'api_key',
      apiKeyName: 'ANIMAL_STORE_API_KEY',
      scopes,
    });
    expect((await page.send('/console/v1/pets')).status).toBe(200);
    expect(await auditEvents(app)).toContainEqual(
      expect.objectContaining({ event: 'console_signed_in', kind: 'api_key', apiKeyId: 0 }),
    );
  });

  test.each([
    ['without the form of a key', 'nonsense'],
    ['that is empty', ''],
    ['of 1000 bytes', 'a'.repeat(1000)],
    ['with a line feed', 'anst_live_\n'],
  ])('%s gets the same answer as every invalid key', async (_what, apiKey) => {
    await using app = await openTestApp();
    const message = await expectError(await trySignIn(app, { apiKey }), 'invalid_api_key');
    expect(message).toBe('The API key is not valid');
  });
});

describe('signing in', () => {
  test.each([
    ['neither', {}],
    ['both', { link: 'a', apiKey: 'b' }],
    ['a number', { link: 7 }],
    ['null', { apiKey: null }],
  ])('with %s answers 400', async (_what, body) => {
    await using app = await openTestApp();
    await expectError(await trySignIn(app, body), 'invalid_body');
  });

  test('validates the body as every operation does', async () => {
    await using app = await openTestApp();
    const send = (init: RequestInit) =>
      sendFromPage(app, '/console/v1/session', { method: 'POST', ...init });
    const json = { 'content-type': 'application/json' };
    await expectError(await send({}), 'invalid_json');
    await expectError(await send({ headers: json, body: '{' }), 'invalid_json');
    await expectError(await send({ body: 'link=a' }), 'unsupported_media_type');
    // The server does not read the rest of the body.
    for (const body of [' '.repeat(1025), new Blob([' '.repeat(2000)]).stream()]) {
      const message = await expectError(await send({ headers: json, body }), 'content_too_large');
      expect(message).toBe('The body must be at most 1024 bytes');
    }
  });

  test('again closes the earlier session of the browser', async () => {
    await using app = await openTestApp();
    const first = await signInAsOwner(app);
    const second = await trySignIn(app, { apiKey: app.apiKey }, first.cookie);
    expect(second.status).toBe(201);
    await expectError(await first.send('/console/v1/session'), 'missing_api_key');
  });

  test('with the right secret works after any number of refused attempts from the same address', async () => {
    const signIns = { ok: 0, refused: 0 };
    await using app = await openTestApp({ console: { signIns } });
    for (let count = 0; count < 100; count += 1) {
      const secret = count % 2 === 0 ? { link: 'a'.repeat(43) } : { apiKey: 'anst_live_wrong' };
      await expectError(await trySignIn(app, secret), 'invalid_api_key');
    }
    expect((await trySignIn(app, { apiKey: app.apiKey })).status).toBe(201);
    expect((await trySignIn(app, { link: await makeLink(app) })).status).toBe(201);
    expect(signIns).toEqual({ ok: 2, refused: 100 });
  });

  test('with an unknown link or key does not delay writes, because it only reads', async () => {
    await using app = await openTestApp();
    const link = await makeLink(app);
    expect((await trySignIn(app, { link })).status).toBe(201);
    const before = (await app.database.statistics()).commits.commands.sum;
    for (const secret of [{ link }, { link: 'a'.repeat(43) }, { apiKey: `${app.apiKey}0` }]) {
      await expectError(await trySignIn(app, secret), 'invalid_api_key');
    }
    expect((await app.database.statistics()).commits.commands.sum).toBe(before);
  });

  test('with one key answers 429 after 60 times in a minute, because each adds an entry to the audit trail', async () => {
    await using app = await openTestApp();
    for (let count = 0; count < 60; count += 1) {
      expect((await trySignIn(app, { apiKey: app.apiKey })).status).toBe(201);
    }
    await expectError(await trySignIn(app, { apiKey: app.apiKey }), 'rate_limited');
    const { text: apiKey } = await app.createKey();
    expect((await trySignIn(app, { apiKey })).status).toBe(201);
  });

  test('is in the audit trail, with the session that the log names, and without secrets', async () => {
    await using app = await openTestApp();
    const owner = await signInAsOwner(app);
    const { id: apiKeyId, text: apiKey } = await app.createKey();
    const holder = await signIn(app, { apiKey });
    const entries = await auditEvents(app);
    expect(entries.filter(({ event }) => event === 'console_signed_in')).toEqual([
      {
        event: 'console_signed_in',
        session: idOf(owner),
        kind: 'owner',
        apiKeyId: null,
        workspace: 'default',
        address: null,
      },
      {
        event: 'console_signed_in',
        session: idOf(holder),
        kind: 'api_key',
        apiKeyId: Number(apiKeyId),
        workspace: 'default',
        address: null,
      },
    ]);
    const text = JSON.stringify(entries);
    for (const { cookie } of [owner, holder]) {
      expect(text).not.toContain(cookie.replace('animal-store-live=', ''));
    }
  });
});

describe('the address of a sign-in', () => {
  const proxy = '127.0.0.1';

  /** Sends a sign-in through a proxy that sends the address of the client. */
  const signInOver = (app: TestApp, secret: object, more: Record<string, string> = {}) =>
    trySignInFrom(app, proxy, secret, { 'x-forwarded-for': '192.0.2.7', ...more });

  function trustProxy(): BlockList {
    const trustedProxies = new BlockList();
    trustedProxies.addAddress(proxy);
    return trustedProxies;
  }

  test('is in the audit trail after a success, as the address of the client behind a trusted proxy', async () => {
    for (const [trustedProxies, address] of [
      [trustProxy(), '192.0.2.7'],
      [undefined, proxy],
    ] as const) {
      await using app = await openTestApp({ trustedProxies });
      expect((await signInOver(app, { apiKey: app.apiKey })).status).toBe(201);
      expect((await signInOver(app, { link: await makeLink(app) })).status).toBe(201);
      const entries = (await auditEvents(app)).filter(({ event }) => event === 'console_signed_in');
      expect(entries.map((entry) => entry.address)).toEqual([address, address]);
    }
  });

  test('is logged with the reason after a refusal, without an entry in the audit trail', async () => {
    const signIns = { ok: 0, refused: 0 };
    await using app = await openTestApp({
      trustedProxies: trustProxy(),
      console: { signIns },
    });
    const entries = await auditEvents(app);
    const attempts: [reason: string, secret: object, headers?: Record<string, string>][] = [
      ['unknown_link', { link: 'a'.repeat(43) }],
      ['unknown_key', { apiKey: `${app.apiKey}0` }],
      ['invalid_body', { apiKey: [app.apiKey] }],
      ['content_too_large', { apiKey: 'a'.repeat(1024) }],
      ['other_site', { apiKey: app.apiKey }, { 'sec-fetch-site': 'cross-site' }],
    ];
    for (const [, secret, headers] of attempts) await signInOver(app, secret, headers);
    await sendFromPage(app, '/console/v1/session', {}, 'http://shop.lan');
    expect(app.refusals.map(({ reason }) => reason)).toEqual([
      ...attempts.map(([reason]) => reason),
      'needs_https',
    ]);
    expect(app.refusals[0]).toEqual({
      requestId: 'test-1',
      method: 'POST',
      path: '/console/v1/session',
      address: '192.0.2.7',
      refusal: 'sign-in',
      reason: 'unknown_link',
      apiKeyId: undefined,
      sessionId: undefined,
      workspace: undefined,
    });
    expect(JSON.stringify(app.refusals)).not.toContain(app.apiKey);
    expect(signIns).toEqual({ ok: 0, refused: 4 });
    expect(await auditEvents(app)).toEqual(entries);
  });

  test('is refused if it differs from the base URL, with the correct address, and the link still works', async () => {
    const publicUrls = { production: 'https://animals.example/shop/v1' };
    await using app = await openTestApp({ publicUrls });
    const link = await makeLink(app);
    for (const origin of [
      consoleOrigin,
      'http://animals.example',
      'https://animals.example:8443',
    ]) {
      const answer = await signInOver(app, { link }, { origin });
      expect(answer.headers.get('set-cookie')).toBeNull();
      const message = await expectError(answer, 'forbidden_origin');
      expect(message).toBe(
        `A page at "${origin}" cannot keep a session. Open the console at https://animals.example/shop/console`,
      );
    }
    const answer = await signInOver(app, { link }, { origin: 'https://animals.example' });
    expect(answer.status).toBe(201);
  });
});

describe('a cookie that another program of the host planted', () => {
  const token = 'a'.repeat(43);
  const planted = { cookie: `animal-store-live=${token}` };
  const removed = (path: string) => `animal-store-live=; Max-Age=0; Path=${path}`;
  const aboveSession = [
    ...['/', '/console/', '/console/v1', '/console/v1/'],
    ...['/console/v1/session', '/console/v1/session/'],
  ].map(removed);

  test('is removed at every path except that of the session, which another tab may just have opened', async () => {
    await using app = await openTestApp();
    const refused = await sendFromPage(app, '/console/v1/session', { headers: planted });
    expect(refused.headers.getSetCookie()).toEqual(aboveSession);
    await expectError(refused, 'missing_api_key');
    const answer = await sendFromPage(app, '/console/v1/pets/1;x', { headers: planted });
    expect(answer.headers.getSetCookie()).toContain(removed('/console/v1/pets/'));
    const without = await sendFromPage(app, '/console/v1/session');
    expect(without.headers.getSetCookie()).toEqual([]);
  });

  test('does not hide the session, and its own session ends at the next sign-in', async () => {
    await using app = await openTestApp();
    const { cookie } = await signInAsOwner(app);
    const tokens = Array.from({ length: 20 }, (_, index) => String(index).padStart(43, 'z'));
    const cookies = tokens.map((one) => `animal-store-live=${one}`);
    const statusOf = async (all: readonly string[]) =>
      (await sendFromPage(app, '/console/v1/pets', { headers: { cookie: all.join('; ') } })).status;
    expect(await statusOf([...cookies.slice(1), cookie])).toBe(200);
    expect(await statusOf([...cookies, cookie])).toBe(401);

    const held = [...cookies.slice(0, 2), (await signIn(app, { apiKey: app.apiKey })).cookie];
    expect(await statusOf([...held, cookie])).toBe(401);
    const own = cookieOf(await trySignIn(app, { apiKey: app.apiKey }, held.join('; ')));
    expect(await statusOf([...held, own])).toBe(200);
  });

  test('is removed by a sign-in and by a sign-out', async () => {
    await using app = await openTestApp();
    const signedIn = await trySignIn(app, { apiKey: app.apiKey }, planted.cookie);
    const [own, ...others] = signedIn.headers.getSetCookie();
    expect([own, others]).toEqual([expect.stringContaining('Path=/console; '), aboveSession]);
    const out = await sendFromPage(app, '/console/v1/session', { method: 'DELETE' });
    expect(out.headers.getSetCookie()).toEqual([
      'animal-store-live=; Path=/console; HttpOnly; SameSite=Strict; Max-Age=0',
      ...aboveSession,
    ]);
  });

  test('over TLS is removed from the parent domains if the base URL has a path; otherwise its __Host- name prevents it', async () => {
    const publicUrls = { production: 'https://a.shop.example/x/v1' };
    await using app = await openTestApp({ publicUrls });
    const headers = { cookie: `__Secure-animal-store-live=${token}` };
    const answer = await sendFromPage(app, '/console/v1/session', { headers });
    const cookies = answer.headers.getSetCookie();
    const start = '__Secure-animal-store-live=; Max-Age=0; Secure; Path=';
    expect(cookies.slice(0, 3)).toEqual([`${start}/`, `${start}/x`, `${start}/x/`]);
    expect(cookies).toContain(`${start}/x/console; Domain=shop.example`);
    expect(cookies).not.toContain(`${start}/x/console`);
    expect(cookies.join('\r\n').length).toBeLessThan(3000);

    const root = { production: 'https://a.shop.example/v1' };
    await using other = await openTestApp({ publicUrls: root });
    const out = await sendFromPage(other, '/console/v1/session', { method: 'DELETE' });
    expect(out.headers.getSetCookie()).toEqual([
      '__Host-animal-store-live=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0',
    ]);
  });
});

describe('a session', () => {
  test('can call every operation below the console, with links and locations below it', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    const made = await page.write('POST', '/console/v1/pets', rex);
    expect([made.status, made.headers.get('location')]).toEqual([201, '/console/v1/pets/1']);
    await page.write('POST', '/console/v1/pets', rex);
    const list = await page.send('/console/v1/pets?limit=1');
    expect(list.headers.get('link')).toStartWith(
      `<${consoleOrigin}/console/v1/pets?limit=1&cursor=`,
    );
    expect(list.headers.get('cache-control')).toBe('no-store');
    // The answer is cached now. Clients at other addresses get it with their own links and headers.
    const cached = await page.send('/console/v1/pets?limit=1');
    expect(cached.headers.get('link')).toBe(list.headers.get('link'));
    expect(cached.headers.get('cache-control')).toBe('no-store');
    const open = await app.send('/v1/pets?limit=1');
    expect(open.headers.get('link')).toStartWith('<http://animals.test/v1/pets?');
    expect(open.headers.get('cache-control')).toBe('private, no-cache');
    expect(open.headers.get('access-control-allow-origin')).toBe('*');

    for (const { method, path } of operations) {
      const unknown = await page.send(
        `/console/v1${path.replace(/\{\w+\}/, '404')}`,
        method === 'GET' ? {} : { method },
      );
      expect([path, unknown.status]).not.toEqual([path, 401]);
      expect(unknown.headers.get('x-request-id')).toBeTruthy();
      await unknown.body?.cancel();
    }
  });

  test('is not accepted on /v1, and a key is not accepted below the console', async () => {
    await using app = await openTestApp();
    const { cookie } = await signInAsOwner(app);
    await expectError(
      await app.send('/v1/pets', { apiKey: null, headers: { cookie } }),
      'missing_api_key',
    );
    const headers = { authorization: `Bearer ${app.apiKey}` };
    await expectError(await sendFromPage(app, '/console/v1/pets', { headers }), 'missing_api_key');
  });

  test.each([
    ['quotes', (cookie: string) => cookie.replace(/=(.*)$/, '="$1"')],
    ['other cookies around it', (cookie: string) => `a=b; ${cookie}; =; c`],
    [
      'an invalid cookie of the same name before it',
      (cookie: string) => `animal-store-live=x; ${cookie}`,
    ],
  ])('is found with %s', async (_what, write) => {
    await using app = await openTestApp();
    const { cookie } = await signInAsOwner(app);
    const headers = { cookie: write(cookie) };
    expect((await sendFromPage(app, '/console/v1/session', { headers })).status).toBe(200);
  });

  test.each([
    ['no cookie', ''],
    ['an empty one', 'animal-store-live='],
    ['one of another name', `animal-store-test=${'a'.repeat(43)}`],
    ['an unknown one', `animal-store-live=${'a'.repeat(43)}`],
    ['very many others', `${'a=b; '.repeat(5000)}animal-store-live=${'a'.repeat(43)}`],
    ['nonsense', '"; =\u00e9; ;;'],
  ])('is missing with %s', async (_what, cookie) => {
    await using app = await openTestApp();
    for (const path of ['/console/v1/session', '/console/v1/pets', '/console/v1/keys']) {
      const message = await expectError(
        await sendFromPage(app, path, { headers: { cookie } }),
        'missing_api_key',
      );
      expect(message).toBe('Sign in to the console');
    }
  });

  test('is invalid if the name of its cookie begins with characters that a name cannot have', async () => {
    await using app = await openTestApp();
    const { cookie } = await signInAsOwner(app);
    for (const headers of [{ cookie: `\xa0${cookie}` }, { cookie: `a=b; \xa0${cookie}` }]) {
      const answer = await sendFromPage(app, '/console/v1/pets', { headers });
      await expectError(answer, 'missing_api_key');
    }
  });

  test('ends twelve hours after the last action of its user, and automatic requests do not extend it', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    app.now = testNow + sessionMilliseconds - 1;
    expect((await page.send('/console/v1/session')).status).toBe(200);
    const active = await page.send('/console/v1/session/activity', { method: 'POST' });
    expect([active.status, await active.json()]).toEqual([
      200,
      { ...freshEnd, expiresAt: new Date(app.now + sessionMilliseconds).toISOString() },
    ]);
    await app.uses.flush();
    const end = app.now + sessionMilliseconds;
    // These requests are not actions.
    app.now = end - 1;
    expect((await page.send('/console/v1/pets')).status).toBe(200);
    expect((await page.send('/console/v1/session')).status).toBe(200);
    app.now = end;
    for (const path of ['/console/v1/pets', '/console/v1/session']) {
      await expectError(await page.send(path), 'missing_api_key');
    }
    const late = await page.send('/console/v1/session/activity', { method: 'POST' });
    await expectError(late, 'missing_api_key');
  });

  test('ends seven days after sign-in, and with its key, also for an active user', async () => {
    await using app = await openTestApp();
    const keyEnd = testNow + sessionMilliseconds + 60_000;
    const { text: apiKey } = await app.createKey({ expiresAt: keyEnd });
    for (const [page, last] of [
      [await signIn(app, { apiKey }), keyEnd],
      [await signInAsOwner(app), testNow + sessionMillisecondsMax],
    ] as const) {
      app.now = testNow;
      let end = testNow + sessionMilliseconds;
      while (end < last) {
        app.now = end - 1;
        const active = await page.send('/console/v1/session/activity', { method: 'POST' });
        end = Math.min(app.now + sessionMilliseconds, last);
        expect(await active.json()).toMatchObject({
          expiresAt: new Date(end).toISOString(),
          mayContinue: end < last,
        });
        await app.uses.flush();
      }
      app.now = last - 1;
      expect((await page.send('/console/v1/pets')).status).toBe(200);
      await page.send('/console/v1/session/activity', { method: 'POST' });
      await app.uses.flush();
      app.now = last;
      await expectError(await page.send('/console/v1/pets'), 'missing_api_key');
    }
  });

  test('that is closed, or of another page, is not continued by a late report', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    app.now += 60_000;
    const report = (headers: Record<string, string> = {}) =>
      page.send('/console/v1/session/activity', { method: 'POST', headers });
    await expectError(await report({ 'x-console-session': 'a.b' }), 'missing_api_key');
    expect((await report()).status).toBe(200);
    await page.send('/console/v1/session', { method: 'DELETE' });
    await app.uses.flush();
    await expectError(await page.send('/console/v1/session'), 'missing_api_key');
  });

  test('ends when its user signs out, in every tab, and with every other session that the cookies contain', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    const other = await signInAsOwner(app);
    const headers = { cookie: `${page.cookie}; ${other.cookie}`, 'x-console-session': 'a.b' };
    const out = () => sendFromPage(app, '/console/v1/session', { method: 'DELETE', headers });
    expect((await out()).status).toBe(204);
    for (const { send } of [page, other]) {
      await expectError(await send('/console/v1/pets'), 'missing_api_key');
    }
    expect((await out()).status).toBe(204);
  });

  test('and a link are deleted after they have expired, a few at a time', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    await makeLink(app);
    await makeLink(app);
    const forget = async (now: number, tokensMax = 100) =>
      (await app.database.write(background, 'deleteExpiredConsoleTokens', { now, tokensMax })).ok;
    expect(await forget(testNow + linkMilliseconds - 1)).toBe(0);
    expect(await forget(testNow + linkMilliseconds, 1)).toBe(1);
    expect(await forget(testNow + linkMilliseconds)).toBe(1);
    expect((await page.send('/console/v1/session')).status).toBe(200);
    expect(await forget(testNow + sessionMilliseconds)).toBe(1);
  });

  test('of a key shares the rate limit of the key, and that of an owner has its own', async () => {
    await using app = await openTestApp({ rateLimit: { count: 2, seconds: 60 } });
    const { text: apiKey } = await app.createKey();
    const page = await signIn(app, { apiKey });
    expect((await app.send('/v1/pets', { apiKey })).status).toBe(200);
    expect((await page.send('/console/v1/pets')).status).toBe(200);
    for (const path of ['pets', 'sessions', 'unnamed-categories', 'pet-positions?position=0']) {
      await expectError(await page.send(`/console/v1/${path}`), 'rate_limited');
    }
    // Another user of a stolen key cannot keep its sessions open.
    const { send } = await signIn(app, { apiKey });
    const ended = await send(`/console/v1/sessions/${idOf(page)}`, { method: 'DELETE' });
    expect(ended.status).toBe(204);
    expect((await send('/console/v1/sessions', { method: 'DELETE' })).status).toBe(200);
    const [one, two] = [await signInAsOwner(app), await signInAsOwner(app)];
    for (const owner of [one, two]) {
      expect((await owner.send('/console/v1/pets')).status).toBe(200);
      expect((await owner.send('/console/v1/pets')).status).toBe(200);
      const message = await expectError(await owner.send('/console/v1/pets'), 'rate_limited');
      expect(message).toStartWith('This session may send 2 requests');
    }
  });

  test('is named in the log, and no use of a key is recorded for an owner', async () => {
    const logged: unknown[] = [];
    const log = {
      answered: ({ path, apiKeyId, sessionId, workspace }: Record<string, unknown>) =>
        logged.push({ path, apiKeyId, sessionId, workspace }),
      failed() {},
    };
    await using app = await openTestApp({ log: log as never });
    const owner = await signInAsOwner(app);
    const { id, text: apiKey } = await app.createKey();
    const holder = await signIn(app, { apiKey });
    for (const page of [owner, holder]) await page.send('/console/v1/pets/1');
    const workspace = 'default';
    expect(logged).toContainEqual({
      path: '/console/v1/pets/1',
      apiKeyId: undefined,
      sessionId: idOf(owner),
      workspace,
    });
    expect(logged).toContainEqual({
      path: '/console/v1/pets/1',
      apiKeyId: Number(id),
      sessionId: idOf(holder),
      workspace,
    });
    await app.uses.flush();
    const calls = await app.database.listDeprecatedCalls(background, 9);
    expect(calls.items.map(({ apiKeyId }) => apiKeyId)).toEqual([id]);
  });
});

describe('the list of sessions', () => {
  test('has the open ones, newest first, and can have those of the keys of one workspace', async () => {
    const text = 'operator.chosen/key-0001==';
    await using app = await openTestApp({ operatorApiKey: operatorKeyOf(text) });
    await addWorkspace(app, 'annex');
    const revoked = await app.createKey();
    await signIn(app, { apiKey: revoked.text });
    await app.database.write(background, 'revokeApiKey', { id: revoked.id, now: app.now });
    const { text: short } = await app.createKey({ expiresAt: testNow + 60_000 });
    await signIn(app, { apiKey: short });
    await makeLink(app);
    const owner = await signInAsOwner(app, 'annex');
    app.now += 1;
    const { id, text: apiKey } = await app.createKey({ expiresAt: testNow + 120_000 });
    const holder = await signIn(app, { apiKey });
    app.now += 1;
    const operator = await signIn(app, { apiKey: text });
    app.now = testNow + 60_000;

    const list = async (workspaceName?: string, limit = 10) => {
      const of = { whose: 'all', workspaceName } as const;
      return (await app.database.listConsoleSessions(background, { of, now: app.now, limit }))
        .items;
    };
    const listed = await list();
    const [first, second, third] = listed;
    expect(first).toEqual({
      id: idOf(operator),
      digest: expect.stringMatching(new RegExp(`^${idOf(operator)}[0-9a-f]{48}$`)),
      apiKeyDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      workspaceName: 'default',
      apiKey: { id: 0n, name: undefined },
      signedInAt: testNow + 2,
      lastActiveAt: testNow + 2,
      expiresAt: testNow + 2 + sessionMilliseconds,
      address: undefined,
    });
    expect(second).toMatchObject({ id: idOf(holder), apiKey: { id, name: 'test' } });
    expect(second?.expiresAt).toBe(testNow + 120_000);
    expect(third).toMatchObject({ id: idOf(owner), workspaceName: undefined, apiKey: undefined });
    expect(listed).toHaveLength(3);
    expect(await list('default')).toEqual(listed.slice(0, 2));
    expect(await list('annex')).toEqual([]);
    expect(await list(undefined, 1)).toEqual(listed.slice(0, 1));
    const next = { of: { whose: 'all' } as const, now: app.now, limit: 10, after: first };
    expect(await app.database.listConsoleSessions(background, next)).toEqual({
      items: listed.slice(1),
      next: undefined,
    });
    expect(await list('none')).toEqual([]);
  });
});

describe('a stream of a session', () => {
  async function openEvents(port: number, cookie: string) {
    const response = await fetch(`http://127.0.0.1:${port}/console/v1/events/stream`, {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform');
    return response;
  }

  test.each(['its key is revoked', 'its user signs out', 'another session ends it'])(
    'ends within a second when %s',
    async (how) => {
      await using server = await openTestServer({ steadyNow: () => performance.now() });
      const { app } = server;
      const { id, text: apiKey } = await app.createKey();
      const page = await signIn(app, { apiKey });
      const response = await openEvents(server.port, page.cookie);
      const reader = response.body?.getReader();
      await reader?.read();
      if (how === 'its key is revoked') {
        await app.database.write(background, 'revokeApiKey', { id, now: app.now });
      } else if (how === 'its user signs out') {
        await page.send('/console/v1/session', { method: 'DELETE' });
      } else {
        const owner = await signInAsOwner(app);
        await owner.send(`/console/v1/sessions/${idOf(page)}`, { method: 'DELETE' });
      }
      const since = performance.now();
      while (!((await reader?.read())?.done ?? true));
      expect(performance.now() - since).toBeLessThan(1500);
    },
  );

  test('of an owner counts for that session: ten at the same time', async () => {
    await using server = await openTestServer();
    const { cookie } = await signInAsOwner(server.app);
    const other = await signInAsOwner(server.app);
    const open = await Promise.all(
      Array.from({ length: 10 }, () => openEvents(server.port, cookie)),
    );
    const response = await fetch(`http://127.0.0.1:${server.port}/console/v1/events/stream`, {
      headers: { cookie, 'sec-fetch-site': 'same-origin' },
    });
    const message = await expectError(response, 'rate_limited');
    expect(message).toStartWith('This session has 10 streams');
    open.push(await openEvents(server.port, other.cookie));
    for (const { body } of open) await body?.cancel();
  });
});

describe('a request of a browser with the headers', () => {
  type Sent = Record<string, string>;
  const own = { origin: consoleOrigin };
  const foreign = { origin: 'https://evil.example' };
  const site = (value: string, more: Sent = {}): Sent => ({ 'sec-fetch-site': value, ...more });

  test.each<[what: string, headers: Sent, read: number, write: number]>([
    ['same-origin', site('same-origin'), 200, 201],
    ['same-origin with its origin', site('same-origin', own), 200, 201],
    ['typed into the address bar', site('none'), 200, 403],
    ['same-site', site('same-site', own), 403, 403],
    ['cross-site', site('cross-site', foreign), 403, 403],
    ['cross-site with our origin', site('cross-site', own), 403, 403],
    ['an unknown word', site('unknown'), 403, 403],
    ['nothing', {}, 200, 403],
    ['our origin alone', own, 200, 201],
    ['another origin alone', foreign, 200, 403],
    ['our host over TLS', { origin: 'https://localhost:8080' }, 200, 403],
    ['our host at another port', { origin: 'http://localhost:8081' }, 200, 403],
    ['the origin null', { origin: 'null' }, 200, 403],
  ])('%s is checked by method, and 403 writes nothing', async (_what, headers, read, write) => {
    await using app = await openTestApp();
    const { cookie } = await signInAsOwner(app);
    const send = async (path: string, { headers: more, ...init }: RequestInit = {}) =>
      await app.app(
        new Request(`${consoleOrigin}${path}`, {
          ...init,
          headers: { ...Object.fromEntries(new Headers(more)), ...headers, cookie },
        }),
      );
    for (const method of ['GET', 'HEAD']) {
      expect((await send('/console/v1/pets', { method })).status).toBe(read);
    }
    const posted = await send('/console/v1/pets', jsonInit('POST', rex));
    expect(posted.status).toBe(write);
    if (write === 403) await expectError(posted, 'forbidden_origin');
    expect(await countAnimals(app)).toBe(write === 201 ? 1 : 0);
    const keys = (await readApiKeys(app.database)).length;
    const unsafe: [string, string, unknown][] = [
      ['PUT', '/console/v1/categories/7', { name: 'Dogs' }],
      ['POST', '/console/v1/keys', { name: 'one more' }],
      ['DELETE', '/console/v1/session', undefined],
    ];
    for (const [method, path, body] of unsafe) {
      const { status } = await send(path, body === undefined ? { method } : jsonInit(method, body));
      expect([method, path, status === 403]).toEqual([method, path, write === 403]);
    }
    expect((await readApiKeys(app.database)).length - keys).toBe(write === 201 ? 1 : 0);
  });

  test.each([
    ['http://animals.test', 403],
    ['http://192.0.2.1:8080', 403],
    ['http://localhost.evil.example', 403],
    ['http://evil-localhost', 403],
    ['http://127.0.0.1.evil.example', 403],
    ['http://localhost', 201],
    ['http://shop.localhost:8080', 201],
    ['http://127.0.0.1:8080', 201],
    ['http://127.1.2.3:8080', 201],
    ['http://[::1]:8080', 201],
  ])('over plain HTTP, a sign-in at %s answers %i', async (origin, status) => {
    await using app = await openTestApp();
    const body = jsonInit('POST', { apiKey: app.apiKey });
    const answer = await sendFromPage(app, '/console/v1/session', body, origin);
    expect(answer.status).toBe(status);
    if (status === 201) return;
    const message = await expectError(answer, 'forbidden_origin');
    expect(message).toContain('--base-url https://');
    const { cookie } = await signInAsOwner(app);
    for (const path of ['/console/v1/session', '/console/v1/pets']) {
      const used = await sendFromPage(app, path, { headers: { cookie } }, origin);
      await expectError(used, 'forbidden_origin');
    }
  });
});

describe('every answer below /console/v1', () => {
  test.each<[CorsOrigins]>([['*'], [['https://shop.example']]])(
    'has no CORS headers and is never stored, with the origins %p',
    async (corsOrigins) => {
      await using app = await openTestApp({ corsOrigins });
      const page = await signInAsOwner(app);
      await page.write('POST', '/console/v1/pets', rex);
      const preflight = {
        method: 'OPTIONS',
        headers: { 'access-control-request-method': 'GET' },
      };
      const requests: [string, RequestInit][] = [
        ['/console/v1/session', {}],
        ['/console/v1/session', jsonInit('POST', { link: 'none' })],
        ['/console/v1/session', { method: 'OPTIONS' }],
        ['/console/v1/pets', {}],
        ['/console/v1/pets', { method: 'HEAD' }],
        ['/console/v1/pets', { method: 'OPTIONS' }],
        ['/console/v1/pets/1', {}],
        ['/console/v1/pets/2', {}],
        ['/console/v1/events', {}],
        ['/console/v1/keys', {}],
        ['/console/v1/keys', { method: 'PUT' }],
        ['/console/v1/nothing', {}],
        ['/console/v1/nothing', preflight],
        ['/console/nothing', preflight],
        ['/console/v1/session', { method: 'DELETE' }],
        ['/console/v1/pets', {}],
      ];
      for (const [path, { headers: more, ...init }] of requests) {
        const headers = {
          ...Object.fromEntries(new Headers(more)),
          origin: 'https://shop.example',
        };
        const answer = await page.send(path, { ...init, headers });
        const named = [...answer.headers.keys()];
        const what = `${init.method ?? 'GET'} ${path}`;
        expect([what, named.filter((name) => name.startsWith('access-control'))]).toEqual([
          what,
          [],
        ]);
        expect([what, answer.headers.get('cache-control')]).toEqual([what, 'no-store']);
        expect(answer.headers.get('vary') ?? '').not.toContain('Origin');
        if (path.endsWith('nothing')) expect(answer.status).toBe(404);
        else if (init.method === 'OPTIONS') {
          expect([answer.status, answer.headers.get('allow')]).toEqual([
            204,
            expect.stringContaining('GET, HEAD'),
          ]);
        }
      }
    },
  );
});

const json = async (response: Response) => JSON.parse(await response.text());

describe('keys in the console', () => {
  test('are created, shown once, valid, and listed newest first', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    const made = await page.write('POST', '/console/v1/keys', {
      name: 'front desk',
      scopes: ['pets:read'],
      expiresInDays: 90,
      rateLimit: '2/h',
    });
    expect(made.status).toBe(201);
    const { key, ...shown } = await json(made);
    expect(shown).toStrictEqual({
      id: 2,
      name: 'front desk',
      lastFour: key.slice(-4),
      scopes: ['pets:read'],
      rateLimit: '2/h',
      state: 'active',
      activeUntil: new Date(testNow + 90 * 86_400_000).toISOString(),
      createdAt: new Date(testNow).toISOString(),
      expiresAt: new Date(testNow + 90 * 86_400_000).toISOString(),
      revokedAt: null,
      lastUsedAt: null,
    });
    for (const status of [200, 200, 429]) {
      expect((await app.send('/v1/pets', { apiKey: key })).status).toBe(status);
    }
    const usual = await json(await page.write('POST', '/console/v1/keys', { name: 'usual' }));
    const { scopes: given, expiresAt, rateLimit } = usual;
    expect([given, expiresAt, rateLimit]).toEqual([[...defaultScopes], null, null]);
    const { keys: list } = await json(await page.send('/console/v1/keys'));
    expect(list.map(({ name }: { name: string }) => name)).toEqual(['usual', 'front desk', 'test']);
    expect(list[1]).toStrictEqual(shown);
    const created = (await auditEvents(app)).filter(({ event }) => event === 'api_key_created');
    const { id: session } = page.signedIn as { id: string };
    expect(created.map((entry) => entry.session)).toEqual([undefined, session, session]);
  });

  test.each([
    ['no name', {}],
    ['a name of white space', { name: ' ' }],
    ['an unknown scope', { name: 'a', scopes: ['pets:eat'] }],
    ['no scopes', { name: 'a', scopes: [] }],
    ['no days', { name: 'a', expiresInDays: 0 }],
    ['too many days', { name: 'a', expiresInDays: 3651 }],
    ['half a day', { name: 'a', expiresInDays: 0.5 }],
    ['days as text', { name: 'a', expiresInDays: '7' }],
    ['a rate limit of 0', { name: 'a', rateLimit: '0/min' }],
    ['a rate limit as a number', { name: 'a', rateLimit: 600 }],
  ])('are not created with %s', async (_what, body) => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    await expectError(await page.write('POST', '/console/v1/keys', body), 'invalid_body');
    expect(await readApiKeys(app.database)).toHaveLength(1);
  });

  test('are rotated with an overlap, which is a day by default', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    const { id, text: old } = await app.createKey({ scopes: ['pets:read'] });
    const path = `/console/v1/keys/${id}/rotation`;
    const rotated = await page.write('POST', path, { overlapSeconds: 60 });
    expect(rotated.status).toBe(201);
    const { key, ...shown } = await json(rotated);
    expect(shown).toMatchObject({ id: 3, name: 'test', scopes: ['pets:read'], state: 'active' });
    app.now += 59_999;
    for (const apiKey of [old, key]) {
      expect((await app.send('/v1/pets', { apiKey })).status).toBe(200);
    }
    app.now += 1;
    await expectError(await app.send('/v1/pets', { apiKey: old }), 'invalid_api_key');
    await expectError(await page.write('POST', path, {}), 'conflict');
    const again = await json(await page.write('POST', '/console/v1/keys/3/rotation', {}));
    const [, replaced] = (await json(await page.send('/console/v1/keys'))).keys;
    expect([again.id, replaced.revokedAt]).toEqual([
      4,
      new Date(app.now + 86_400_000).toISOString(),
    ]);
    for (const overlapSeconds of [-1, 2_592_001, 1.5, null]) {
      const refused = await page.write('POST', '/console/v1/keys/4/rotation', {
        overlapSeconds,
      });
      await expectError(refused, 'invalid_body');
    }
    const entries = await auditEvents(app);
    const { id: session } = page.signedIn as { id: string };
    expect(entries.filter(({ event }) => event === 'api_key_rotated')).toEqual([
      expect.objectContaining({ apiKeyId: 3, replaces: 2, session }),
      expect.objectContaining({ apiKeyId: 4, replaces: 3, session }),
    ]);
  });

  test('are active until the earlier of two ends, if they were replaced shortly before they expire', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    const hour = 3_600_000;
    const { id } = await app.createKey({ expiresAt: app.now + hour });
    const other = await app.createKey({ expiresAt: app.now + 48 * hour });
    for (const old of [id, other.id]) {
      await page.write('POST', `/console/v1/keys/${old}/rotation`, {
        overlapSeconds: 86_400,
      });
    }
    const { keys } = await json(await page.send('/console/v1/keys'));
    const ends = new Map(
      keys.map((key: { id: number; activeUntil: string | null }) => [key.id, key.activeUntil]),
    );
    const inHours = (hours: number) => new Date(app.now + hours * hour).toISOString();
    expect([ends.get(Number(id)), ends.get(Number(other.id))]).toEqual([inHours(1), inHours(24)]);
    expect(ends.get(1)).toBe(null);
    await page.send(`/console/v1/keys/${id}`, { method: 'DELETE' });
    const [, , , revoked] = (await json(await page.send('/console/v1/keys'))).keys;
    expect(revoked).toMatchObject({ id: Number(id), state: 'revoked', activeUntil: null });
  });

  test('are listed without the key of the operator if a parameter contains it by mistake', async () => {
    const ownKey = 'operator.chosen/key-0001';
    await using app = await openTestApp({ hideApiKeys: createHideApiKeys(ownKey) });
    const page = await signInAsOwner(app);
    const answer = await page.send(`/console/v1/keys?before=${ownKey}`);
    const message = await expectError(answer, 'invalid_parameter');
    expect(message).toBe('before must be the id of a key, got "…"');
  });

  test('are revoked, which ends the sessions that they opened', async () => {
    await using app = await openTestApp();
    const page = await signInAsOwner(app);
    const { id, text: apiKey } = await app.createKey();
    const holder = await signIn(app, { apiKey });
    const answer = await page.send(`/console/v1/keys/${id}`, { method: 'DELETE' });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    await expectError(await app.send('/v1/pets', { apiKey }), 'invalid_api_key');
    await expectError(await holder.send('/console/v1/pets'), 'missing_api_key');
    const [listed] = (await json(await page.send('/console/v1/keys'))).keys;
    expect(listed).toMatchObject({ id: Number(id), state: 'revoked' });
    const { id: session } = page.signedIn as { id: string };
    expect((await auditEvents(app)).at(-1)).toMatchObject({ event: 'api_key_revoked', session });
  });

  test('of another workspace do not exist', async () => {
    await using app = await openTestApp();
    await addWorkspace(app, 'annex');
    const { id, text: apiKey } = await app.createKey({ workspace: 'annex' });
    const page = await signInAsOwner(app);
    for (const wrong of [String(id), '404', 'x', '-1', '1e0', '99999999999999999999']) {
      const path = `/console/v1/keys/${wrong}`;
      await expectError(await page.send(path, { method: 'DELETE' }), 'not_found');
      await expectError(await page.write('POST', `${path}/rotation`, {}), 'not_found');
    }
    expect((await app.send('/v1/pets', { apiKey })).status).toBe(200);
    expect((await json(await page.send('/console/v1/keys'))).keys).toHaveLength(1);
  });
});

test('numbers of animals without a category are listed to sessions that can read animals', async () => {
  await using app = await openTestApp();
  const owner = await signInAsOwner(app);
  const numbers = async () => (await owner.send('/console/v1/unnamed-categories')).json();
  expect(await numbers()).toEqual({ numbers: [] });
  // Each number has several animals.
  for (const number of ['7', '-9223372036854775808', '9223372036854775807', '3', '7', '3']) {
    const body = `{"name":"Rex","categoryId":${number}}`;
    expect((await app.post(body)).status).toBe(201);
  }
  await owner.write('PUT', '/console/v1/categories/3', { name: 'Cats' });
  expect(await numbers()).toEqual({
    numbers: ['-9223372036854775808', '7', '9223372036854775807'],
  });
  await owner.send('/console/v1/categories/3', { method: 'DELETE' });
  expect(await numbers()).toMatchObject({ numbers: { length: 4 } });
  const { text: apiKey } = await app.createKey({ scopes: ['orders:read'] });
  const seller = await signIn(app, { apiKey });
  await expectError(await seller.send('/console/v1/unnamed-categories'), 'insufficient_scope');
});

test('the animal at a position of a list is found for sessions that can read animals', async () => {
  await using app = await openTestApp();
  await addPets(app, [
    ...equalPets(3),
    ...equalPets(2, { name: 'Tom', categoryId: 1n, status: 'sold' }),
  ]);
  const owner = await signInAsOwner(app);
  const find = async (query: string) =>
    (await owner.send(`/console/v1/pet-positions?${query}`)).json();
  expect(await find('position=0')).toEqual({ id: 5, position: 0, count: 5 });
  expect(await find('position=3&sort=id')).toEqual({ id: 4, position: 3, count: 5 });
  expect(await find('position=9&status=sold')).toEqual({ id: 4, position: 1, count: 2 });
  expect(await find('position=0&status=pending')).toEqual({ id: null, position: 0, count: 0 });
  for (const query of ['', 'position=', 'position=-1', 'position=1.5', 'position=1e99']) {
    const refused = await owner.send(`/console/v1/pet-positions?${query}`);
    await expectError(refused, 'invalid_parameter');
  }
  const { text: apiKey } = await app.createKey({ scopes: ['orders:read'] });
  const seller = await signIn(app, { apiKey });
  const refused = await seller.send('/console/v1/pet-positions?position=0');
  await expectError(refused, 'insufficient_scope');
});

test('the answer for a session has the newest position of the feed of its workspace', async () => {
  await using app = await openTestApp();
  const inAnnex = await addWorkspace(app, 'annex');
  for (let count = 0; count < 3; count += 1) expect((await app.post(rex)).status).toBe(201);
  await app.write('POST', '/v1/pets', rex, { apiKey: inAnnex });
  const owner = await signInAsOwner(app);
  expect(owner.signedIn).toMatchObject({ workspace: 'default', eventPosition: 3 });
  const read = async (workspace: string) =>
    json(await owner.send(`/console/v1/session?workspace=${workspace}`));
  expect(await read('annex')).toMatchObject({ workspace: 'annex', eventPosition: 1 });
  expect(await read('unknown')).toMatchObject({ workspace: null, eventPosition: null });
  expect((await signIn(app, { apiKey: inAnnex })).signedIn).toMatchObject({ eventPosition: 1 });
  const { text: apiKey } = await app.createKey({ scopes: ['pets:read'] });
  expect((await signIn(app, { apiKey })).signedIn).toMatchObject({ eventPosition: null });

  const feed = createFeed({ database: app.database, keepsEvents: false, steadyNow: () => 0 });
  await using without = await openTestApp({ feed }, app);
  expect((await signInAsOwner(without)).signedIn).toMatchObject({ eventPosition: null });
});

describe('the workspace of a session', () => {
  test('is found by the beginning of its name if a session has more than it lists', async () => {
    await using app = await openTestApp();
    for (let index = 100; index < 400; index += 1) await addWorkspace(app, `shop-${index}`);
    const page = await signInAsOwner(app);
    const { workspaces, hasMoreWorkspaces } = await json(await page.send('/console/v1/session'));
    expect([workspaces.length, workspaces[99], hasMoreWorkspaces]).toEqual([100, 'shop-198', true]);
    const find = async (prefix: string) =>
      json(await page.send(`/console/v1/workspaces?prefix=${prefix}`));
    expect(await find('shop-39')).toEqual({
      workspaces: Array.from({ length: 10 }, (_, index) => `shop-39${index}`),
      hasMoreWorkspaces: false,
    });
    for (const none of ['x', 'Shop', '%00']) expect((await find(none)).workspaces).toEqual([]);
    expect(await find('shop-')).toMatchObject({ hasMoreWorkspaces: true });
  });

  test('is the one that each request of an owner names, also if tabs name different ones', async () => {
    await using app = await openTestApp();
    await addWorkspace(app, 'annex');
    const owner = await signInAsOwner(app);
    const inTab = (workspace: string) => ({ 'x-console-session': `${idOf(owner)}.${workspace}` });
    const { headers, ...init } = jsonInit('POST', rex);
    for (const workspace of ['annex', 'default', 'annex']) {
      const added = await owner.send('/console/v1/pets', {
        ...init,
        headers: { ...headers, ...inTab(workspace) },
      });
      expect(added.status).toBe(201);
    }
    expect(await countAnimals(app)).toBe(1);
    const annex = await owner.send('/console/v1/pets', { headers: inTab('annex') });
    expect(await annex.json()).toHaveLength(2);
    const shown = async (workspace: string) =>
      (await json(await owner.send(`/console/v1/session?workspace=${workspace}`))).workspace;
    expect(await shown('annex')).toBe('annex');
    for (const none of ['none', '%2500', 'Annex']) expect(await shown(none)).toBeNull();
    const link = await makeLink(app);
    const path = '/console/v1/session?workspace=annex';
    expect(await json(await owner.write('POST', path, { link }))).toMatchObject({
      kind: 'owner',
      workspace: 'annex',
    });
  });

  test('is refused if it is not that of the key, if it does not exist, or for another session', async () => {
    await using app = await openTestApp();
    await addWorkspace(app, 'annex');
    const owner = await signInAsOwner(app);
    const holder = await signIn(app, { apiKey: app.apiKey });
    for (const [page, named] of [
      [holder, `${idOf(holder)}.annex`],
      [owner, `${idOf(owner)}.none`],
      [owner, `${idOf(owner)}.`],
      [owner, idOf(owner)],
      [owner, '0123456789abcdef.default'],
      [owner, ''],
    ] as const) {
      const headers = { 'x-console-session': named };
      await expectError(await page.send('/console/v1/pets', { headers }), 'missing_api_key');
    }
    const own = { 'x-console-session': `${idOf(holder)}.default` };
    expect((await holder.send('/console/v1/pets', { headers: own })).status).toBe(200);
    const named = await holder.send('/console/v1/session?workspace=annex');
    expect(await named.json()).toMatchObject({ kind: 'api_key', workspace: 'default' });
  });

  test('can be deleted, and the session of an owner continues in the others', async () => {
    await using app = await openTestApp();
    await addWorkspace(app, 'annex');
    const owner = await signInAsOwner(app, 'annex');
    expect((await owner.send('/console/v1/pets')).status).toBe(200);
    const annex = await app.database.findWorkspace(background, 'annex');
    const step = { id: annex?.id ?? 0n, rowsMax: 100, now: app.now };
    await app.database.write(background, 'deleteWorkspaceStep', step);
    await expectError(await owner.send('/console/v1/pets'), 'missing_api_key');
    const left = { 'x-console-session': `${idOf(owner)}.default` };
    expect((await owner.send('/console/v1/pets', { headers: left })).status).toBe(200);
  });
});

describe('the page', () => {
  const get = async (app: TestApp, path: string, headers: Record<string, string> = {}) =>
    await app.app(new Request(`http://animals.test${path}`, { headers }));

  test('runs and calls only its own files, and needs no session', async () => {
    await using app = await openTestApp();
    const page = await get(app, '/console');
    expect(page.status).toBe(200);
    expect(Object.fromEntries(page.headers)).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types workbook-reader",
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
    });
    for (const path of ['/console', '/console/w/shop', '/console/w/shop/', '/console/w/%20']) {
      const answer = await get(app, path);
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
      const loaded = [...(await answer.text()).matchAll(/(?:href|src)="([^"]+)"/g)].map(
        ([, link = '']) => new URL(link, `http://animals.test/prefix${path}`).pathname,
      );
      expect(loaded).toEqual([
        ...['/prefix/icon.svg', '/prefix/console.css'],
        ...(path.includes('shop') ? ['/prefix/console/v1/session'] : []),
        expect.stringMatching(/^\/prefix\/console\/scripts\/[0-9a-f]{16}\/app\.js$/),
        '/prefix/console/start.js',
      ]);
    }
    for (const path of ['/icon.svg', '/console.css', '/console/start.js']) {
      expect((await get(app, path)).status).toBe(200);
    }
  });

  test('and all below it answer 404 if the console is off', async () => {
    await using app = await openTestApp({ console: undefined });
    for (const path of ['', '/w/default/', '/app.js', '/v1/session', '/v1/pets']) {
      await expectError(await sendFromPage(app, `/console${path}`), 'route_not_found');
    }
    expect((await get(app, '/console.css')).status).toBe(200);
    expect((await app.send('/v1/pets')).status).toBe(200);
  });
});

describe('the start page', () => {
  test.each([
    ['production', true, 'This is the production environment'],
    ['staging', false, 'This is the staging environment'],
  ] as const)(
    'of %s lists the addresses of the service, and whether it is ready',
    async (environment, hasConsole, words) => {
      await using app = await openTestApp({
        environment,
        ...(hasConsole ? {} : { console: undefined }),
      });
      const page = await app.send('/', { apiKey: null });
      expect([page.status, page.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      expect(page.headers.get('content-security-policy')).not.toContain('script-src');
      const html = await page.text();
      expect(html).toContain(words);
      expect(html).toContain('The service is ready.');
      expect(html.includes('href="console"')).toBe(hasConsole);
      for (const [, path = ''] of html.matchAll(/href="([^"]+)"/g)) {
        const { status } = await app.send(`/${path}`, { apiKey: null });
        expect([path, status]).toEqual([path, 200]);
      }
      app.isDraining = true;
      const draining = await (await app.send('/', { apiKey: null })).text();
      expect(draining).toContain('The service is not ready: The service is shutting down.');
    },
  );
});

test('a key is revoked although the page was closed before the answer', async () => {
  await using app = await openTestApp();
  const page = await signInAsOwner(app);
  const { id, text } = await app.createKey({ scopes: ['pets:read'] });
  const signal = AbortSignal.abort();
  await page.send(`/console/v1/keys/${id}`, { method: 'DELETE', signal });
  expect((await app.send('/v1/pets', { apiKey: text })).status).toBe(401);
});
