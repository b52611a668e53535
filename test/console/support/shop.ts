import { test as base } from '@playwright/test';
import { openSignedIn } from './actions.ts';
import { type BunProcess, startBunProcess } from './bun-process.ts';

export { expect, type Page } from '@playwright/test';

type Bun = BunProcess['bun'];

interface Server extends Awaited<ReturnType<Bun['startServer']>> {
  /** Counts the workspaces that tests added. */
  workspaceCount: number;
}

/** A workspace of its own, on a server that the tests of a worker share. */
export interface Shop {
  readonly server: Server;
  readonly workspace: string;
  /** The first key, with every scope. */
  readonly apiKey: string;
  /** The address of a screen. */
  address(screen?: string, workspace?: string): string;
  /** A new link that signs an owner in to the workspace once. */
  newLink(): Promise<string>;
  /** Calls the service as a program does. A body that is no text becomes JSON. */
  call(method: string, path: string, body?: unknown): Promise<Response>;
  /** What the service has at a path. */
  read(path: string): Promise<unknown>;
  addKey(name: string, scopes?: readonly Scope[]): ReturnType<Bun['addKey']>;
  /** Adds another workspace to the server, with a part for its name, and returns its name. */
  addWorkspace(part: string): Promise<string>;
  /** Runs a command of the operator, and returns what it prints. */
  run(...args: string[]): Promise<string>;
  /** Runs a statement on the data of the server. */
  query(statement: string): Promise<unknown[]>;
}

type Scope = NonNullable<Parameters<Bun['addKey']>[3]>[number];

interface TestFixtures {
  /** Options of `serve` for a server that the test has alone. */
  ownServer: { readonly args: readonly string[] } | undefined;
  /** Whether the owner is signed in before the test. */
  isSignedIn: boolean;
  shop: Shop;
  /** Errors on the consoles of all tabs, uncaught exceptions, and violations of content security policies. There must be none. */
  complaints: string[];
}

interface WorkerFixtures {
  bun: Bun;
  server: Server;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  ownServer: [undefined, { option: true }],
  isSignedIn: [true, { option: true }],

  bun: [
    async ({ browserName: _ }, use) => {
      await using process = startBunProcess();
      await use(process.bun);
    },
    { scope: 'worker' },
  ],

  server: [
    async ({ bun }, use) => use(await startServer(bun, ['--webhook-allow', '127.0.0.1'])),
    { scope: 'worker' },
  ],

  complaints: [
    async ({ context }, use) => {
      const complaints: string[] = [];
      context.on('console', (message) => {
        // The browser itself logs each answer that is an error, and each request that a test aborts.
        const isOfPage = !message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && isOfPage) complaints.push(message.text());
      });
      context.on('weberror', (error) => complaints.push(String(error.error())));
      await context.addInitScript(
        `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
          console.error('refused by ' + violatedDirective + ': ' + blockedURI))`,
      );
      await use(complaints);
      base.expect(complaints).toEqual([]);
    },
    { auto: true },
  ],

  async shop({ bun, server, ownServer, isSignedIn, page }, use) {
    const used = ownServer === undefined ? server : await startServer(bun, ownServer.args);
    const shop = await openShop(bun, used);
    if (isSignedIn) await openSignedIn(page, await shop.newLink());
    await use(shop);
  },
});

async function startServer(bun: Bun, args: readonly string[]): Promise<Server> {
  return { ...(await bun.startServer(args)), workspaceCount: 0 };
}

async function openShop(bun: Bun, server: Server): Promise<Shop> {
  server.workspaceCount += 1;
  const workspace = `shop-${server.workspaceCount}`;
  const { origin, databaseUrl } = server;
  await bun.addWorkspace(databaseUrl, workspace);
  const { apiKey } = await bun.addKey(databaseUrl, workspace, 'first');
  const address = (screen = '', name = workspace) => `${origin}/console/w/${name}/#${screen}`;
  const call: Shop['call'] = (method, path, body) =>
    callService(origin, apiKey, method, path, body);
  return {
    server,
    workspace,
    apiKey,
    address,
    newLink: async () => address(`link=${await bun.addLink(databaseUrl, workspace)}`),
    call,
    read: async (path) => (await call('GET', path)).json(),
    addKey: (name, scopes) => bun.addKey(databaseUrl, workspace, name, scopes),
    async addWorkspace(part) {
      const name = `${part}-${server.workspaceCount}`;
      await bun.addWorkspace(databaseUrl, name);
      return name;
    },
    run: (...args) => bun.run(databaseUrl, args),
    query: (statement) => bun.query(databaseUrl, statement),
  };
}

export function callService(
  origin: string,
  apiKey: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Response> {
  const authorization = `Bearer ${apiKey}`;
  if (body === undefined)
    return fetch(`${origin}/v1${path}`, { method, headers: { authorization } });
  return fetch(`${origin}/v1${path}`, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}
