import type { Scope } from '../../src/domain/access/api-key.ts';
import { cookieOf, makeLink, trySignIn } from './console-session.ts';
import { openTestApp } from './test-app.ts';

/** A service in this process, for the component tests of the console. Their types are those of browsers. */
export interface ConsoleService extends AsyncDisposable {
  /** Answers a request of a page, whose cookie this keeps as a browser does. */
  answer(request: Request): Promise<Response>;
  /** Calls the service as another user does, and returns the value of its answer. */
  call(method: string, path: string, body?: object): Promise<unknown>;
  /** Creates what signs in: a key of these scopes, or else the link of an owner. */
  newSecret(scopes?: readonly Scope[]): Promise<{ link: string } | { apiKey: string }>;
  signIn(secret: object): Promise<void>;
  /** The faults in its log. */
  readonly failures: readonly unknown[];
}

export async function openConsoleService(): Promise<ConsoleService> {
  const app = await openTestApp();
  let cookie = '';
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
    async newSecret(scopes) {
      if (scopes === undefined) return { link: await makeLink(app) };
      return { apiKey: (await app.createKey({ scopes })).text };
    },
    async signIn(secret) {
      cookie = cookieOf(await trySignIn(app, secret));
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}
