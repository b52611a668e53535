import { createAnimalStore } from '../../client/src/store.ts';
import { scopes } from '../../src/domain/access/api-key.ts';
import { startServerProcess } from './server-process.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

const pageAddress = 'http://localhost/console';

/**
 * A new server, and a client with all permissions: for modules of the console without their page. With the state of their session, an
 * owner is signed in, and what they call is answered by this server.
 */
export async function openConsoleShop(sessionState?: { value: unknown }) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(makeTemporaryFolder());
  const server = stack.use(await startServerProcess(`sqlite:${folder.path}/test.db`));
  const api = createAnimalStore({ baseUrl: `${server.origin}/v1`, apiKey: server.firstKey });
  if (sessionState !== undefined) {
    const original = globalThis.fetch;
    const send = (input: string | URL | Request, init?: RequestInit) => {
      const address = String(input);
      if (!address.startsWith(pageAddress)) return original(input, init);
      const headers = new Headers(init?.headers);
      headers.set('authorization', `Bearer ${server.firstKey}`);
      return original(address.replace(pageAddress, server.origin), { ...init, headers });
    };
    globalThis.fetch = Object.assign(send, original);
    stack.defer(() => {
      globalThis.fetch = original;
    });
    sessionState.value = { is: 'signed-in', session: owner };
  }
  const owned = stack.move();
  return { api, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const owner = {
  ...{ id: '1', kind: 'owner', workspace: 'default', environment: 'production', scopes },
  ...{ apiKeyId: null, apiKeyName: null },
};

/** Loads modules of the console, which read the address of their page. */
export async function loadInPage<Modules>(load: () => Promise<Modules>): Promise<Modules> {
  const location = new URL(`${pageAddress}/w/default/`);
  Object.defineProperty(globalThis, 'location', { value: location, configurable: true });
  try {
    return await load();
  } finally {
    Reflect.deleteProperty(globalThis, 'location');
  }
}
