import { background } from '../../src/context/context.ts';
import type { Scope } from '../../src/domain/access/api-key.ts';
import { defaultWorkspaceName } from '../../src/domain/access/workspace.ts';
import { cookieOf, makeLink, sendFromPage, trySignIn } from './console-session.ts';
import { openTestApp } from './test-app.ts';

/** A service in this process, for the component tests of the console. Their types are those of browsers. */
export interface ConsoleService extends AsyncDisposable {
  /** Answers a request of a page, whose cookie this keeps as a browser does. */
  answer(request: Request): Promise<Response>;
  /** Calls the service as another user does, and returns the value of its answer. */
  call(method: string, path: string, body?: object): Promise<unknown>;
  addWorkspace(name: string): Promise<void>;
  newKey(scopes: readonly Scope[], workspace?: string): Promise<string>;
  /** The token of a link for an owner. */
  newLink(): Promise<string>;
  /** Signs the page in with a key of these scopes, or else as an owner. */
  signIn(scopes?: readonly Scope[]): Promise<void>;
  /** Signs in as another browser does. Returns what signs out there. */
  signInElsewhere(scopes?: readonly Scope[]): Promise<() => Promise<void>>;
  /** Ends the session of the page without it. */
  signOutElsewhere(): Promise<void>;
  /** The faults in its log. */
  readonly failures: readonly unknown[];
}

export async function openConsoleService(): Promise<ConsoleService> {
  const app = await openTestApp();
  let cookie = '';
  const newKey = async (scopes: readonly Scope[], workspace = defaultWorkspaceName) =>
    (await app.createKey({ scopes, workspace })).text;
  const openSession = async (scopes?: readonly Scope[]) => {
    const secret =
      scopes === undefined ? { link: await makeLink(app) } : { apiKey: await newKey(scopes) };
    return cookieOf(await trySignIn(app, secret));
  };
  const endSession = async (of: string) => {
    const init = { method: 'DELETE', headers: { cookie: of } };
    await sendFromPage(app, '/console/v1/session', init);
  };
  return {
    failures: app.failures,
    async answer(request) {
      const sent = new Request(request);
      sent.headers.set('cookie', cookie);
      sent.headers.set('sec-fetch-site', 'same-origin');
      const answer = await app.app(sent);
      if (answer.headers.has('set-cookie')) cookie = cookieOf(answer);
      return answer;
    },
    async call(method, path, body) {
      const answer = await app.write(method, `/v1${path}`, body);
      if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
      const text = await answer.text();
      return text === '' ? undefined : JSON.parse(text);
    },
    async addWorkspace(name) {
      await app.database.write(background, 'createWorkspace', { name, now: app.now });
    },
    newKey,
    newLink: () => makeLink(app),
    async signIn(scopes) {
      cookie = await openSession(scopes);
    },
    async signInElsewhere(scopes) {
      const other = await openSession(scopes);
      return () => endSession(other);
    },
    signOutElsewhere: () => endSession(cookie),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}
