import { createAnimalStore } from '../../client/src/store.ts';
import { startServerProcess } from './server-process.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A new server, and a client with all permissions: for modules of the console without their page. */
export async function openConsoleShop() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(makeTemporaryFolder());
  const server = stack.use(await startServerProcess(`sqlite:${folder.path}/test.db`));
  const api = createAnimalStore({ baseUrl: `${server.origin}/v1`, apiKey: server.firstKey });
  const owned = stack.move();
  return { api, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Loads modules of the console, which read the address of their page. */
export async function loadInPage<Modules>(load: () => Promise<Modules>): Promise<Modules> {
  const location = new URL('http://localhost/console/w/default/');
  Object.defineProperty(globalThis, 'location', { value: location, configurable: true });
  try {
    return await load();
  } finally {
    Reflect.deleteProperty(globalThis, 'location');
  }
}
