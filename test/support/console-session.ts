import { expect } from 'bun:test';
import { background } from '../../src/context/context.ts';
import { linkMilliseconds } from '../../src/domain/access/console-session.ts';
import { newConsoleToken } from '../../src/http/console/token.ts';
import { okOf } from './outcome.ts';
import type { TestApp } from './test-app.ts';

/** The address of the console of a test app, on this machine, so that it needs no TLS. */
export const consoleOrigin = 'http://localhost:8080';

/** A session of the console, as a page in a browser has it with its cookie. */
export interface ConsoleSession {
  readonly cookie: string;
  /** The answer to the sign-in. */
  readonly signedIn: unknown;
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Sends JSON. */
  write(method: string, path: string, body: unknown): Promise<Response>;
}

/** Sends a request as a page of this origin does, unless other headers are given. */
export async function sendFromPage(
  { app }: Pick<TestApp, 'app'>,
  path: string,
  { headers: given = {}, ...init }: RequestInit = {},
  origin = consoleOrigin,
): Promise<Response> {
  const headers = new Headers(given);
  if (!headers.has('sec-fetch-site')) headers.set('sec-fetch-site', 'same-origin');
  return await app(new Request(`${origin}${path}`, { ...init, headers }));
}

export function jsonInit(method: string, body: unknown): RequestInit {
  return {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  };
}

/** Creates a link as `animal-store console` does. Returns the secret after `#link=`. */
export async function makeLink(
  { database, now }: Pick<TestApp, 'database' | 'now'>,
  workspaceName = 'default',
): Promise<string> {
  const { text, digest } = newConsoleToken();
  const expiresAt = now + linkMilliseconds;
  okOf(
    await database.write(background, 'createConsoleLink', {
      digest,
      workspaceName,
      now,
      expiresAt,
    }),
  );
  return text;
}

/** Signs in over a connection from an address. */
export async function trySignInFrom(
  { app }: Pick<TestApp, 'app'>,
  address: string,
  secret: object,
  more: Record<string, string> = {},
): Promise<Response> {
  const { headers, ...init } = jsonInit('POST', secret);
  const request = new Request(`${consoleOrigin}/console/v1/session`, {
    ...init,
    headers: { ...Object(headers), 'sec-fetch-site': 'same-origin', ...more },
  });
  return await app(request, {
    addressOf: () => address,
    closeWhenIdle: () => new DisposableStack(),
  });
}

export function trySignIn(app: TestApp, secret: object, cookie?: string): Promise<Response> {
  const { headers, ...init } = jsonInit('POST', secret);
  return sendFromPage(app, '/console/v1/session', {
    ...init,
    headers: { ...headers, ...(cookie === undefined ? {} : { cookie }) },
  });
}

/** The name and value of the cookie in an answer. */
export function cookieOf({ headers }: Response): string {
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Signs in. Each request names the workspace, if one is given, as those of a page do. */
export async function signIn(
  app: TestApp,
  secret: object,
  workspaceName?: string,
): Promise<ConsoleSession> {
  const response = await trySignIn(app, secret);
  expect(response.status).toBe(201);
  const cookie = cookieOf(response);
  const signedIn = (await response.json()) as { id: string };
  const named =
    workspaceName === undefined
      ? undefined
      : { 'x-console-session': `${signedIn.id}.${workspaceName}` };
  const send: ConsoleSession['send'] = (path, { headers, ...init } = {}) =>
    sendFromPage(app, path, {
      ...init,
      headers: { ...named, ...Object.fromEntries(new Headers(headers)), cookie },
    });
  return {
    cookie,
    signedIn,
    send,
    write: (method, path, body) => send(path, jsonInit(method, body)),
  };
}

/** The id of the session of a page. */
export function idOf({ signedIn }: Pick<ConsoleSession, 'signedIn'>): string {
  return (signedIn as { id: string }).id;
}

/** Signs an owner in with a link. */
export async function signInAsOwner(app: TestApp, workspaceName?: string): Promise<ConsoleSession> {
  return signIn(app, { link: await makeLink(app, workspaceName) }, workspaceName);
}
