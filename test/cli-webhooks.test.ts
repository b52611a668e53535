import { describe, expect, test } from 'bun:test';
import { background } from '../src/context/context.ts';
import { type EngineName, engineNames, prepareData, sqlOn } from './support/engines.ts';
import { okOf } from './support/outcome.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';
import { startReceiver } from './support/webhook-receiver.ts';
import { readAuditTrail } from './support/whole-lists.ts';

const now = Date.UTC(2026, 10, 23);
const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const secretUrl = 'https://user:pass@shop.example/hook/7?token=t0ken';

/** Data with the workspaces default and shop, and the program. */
async function openShops(engine: EngineName) {
  await using opening = new AsyncDisposableStack();
  const data = opening.use(await prepareData(engine));
  const database = opening.use(await data.open());
  const shop = okOf(await database.write(background, 'createWorkspace', { name: 'shop', now }));
  const origin = { requestId: 'r', actor: 'owner', now } as const;
  const open = opening.move();
  return {
    data,
    database,
    shopId: shop.id,
    run: (...args: string[]) => runProgram(['webhooks', ...args], { DATABASE_URL: data.url }),
    sql: (text: string) => sqlOn(engine, data.url, text),
    async addWebhook({
      url = secretUrl,
      workspaceId = 1n,
      ...rest
    }: {
      url?: string;
      workspaceId?: bigint;
      types?: string[];
      description?: string;
    } = {}) {
      const { types, description } = rest;
      const input = { workspaceId, url, types, description, secret, now };
      return okOf(await database.write(background, 'createWebhook', input));
    },
    async addAnimals(count: number, workspaceId = 1n) {
      for (let index = 0; index < count; index += 1) {
        const pet = { name: 'Rex', categoryId: 1n };
        await database.write(background, 'createPet', { workspaceId, pet, origin });
      }
    },
    async statuses() {
      const { items } = await database.listAllWebhooks(background, 1000);
      return items.map(({ id, workspaceName, status, position }) =>
        [workspaceName, id, status, position].join(' '),
      );
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

describe.each(engineNames)('webhooks on %s', (engine) => {
  test('list shows the webhooks of all workspaces or of one, how far they are behind, and no secret', async () => {
    await using shops = await openShops(engine);
    await shops.addWebhook({ types: ['pet.*', 'order.created'], description: 'Till' });
    await shops.addAnimals(3);
    await shops.addWebhook({ url: 'http://127.0.0.1:3000/' });
    await shops.addAnimals(2);
    await shops.addWebhook({ workspaceId: shops.shopId });
    await shops.sql("UPDATE webhooks SET status = 'disabled' WHERE id = 2");
    const table = await shops.run('list');
    expect([table.exitCode, table.stderr, ...table.stdout.trimEnd().split('\n')]).toEqual([
      0,
      '',
      'ID  WORKSPACE  URL                          STATUS    POSITION  BEHIND',
      '1   default    https://shop.example/hook/7  enabled   0         5',
      '2   default    http://127.0.0.1:3000/       disabled  3         2',
      '1   shop       https://shop.example/hook/7  enabled   0         0',
    ]);
    // As after a restore.
    await shops.sql('UPDATE workspaces SET next_event_sequence = next_event_sequence + 1000000');
    const first = await shops.run('list', '--json', '--limit', '1');
    expect(JSON.parse(first.stdout)).toEqual([
      {
        id: 1,
        workspace: 'default',
        url: 'https://shop.example/hook/7',
        types: ['pet.*', 'order.created'],
        description: 'Till',
        status: 'enabled',
        position: 0,
        eventsBehind: 5,
        createdAt: '2026-11-23T00:00:00Z',
      },
    ]);
    expect(first.stderr).toBe(
      'The list has more webhooks. Add a larger --limit, or --all to list everything.\n',
    );
    const ofShop = await shops.run('list', '--workspace', 'shop', '--json');
    expect(JSON.parse(ofShop.stdout)).toMatchObject([{ id: 1, workspace: 'shop', types: null }]);
    for (const { stdout } of [table, first, ofShop]) {
      expect(stdout).not.toMatch(/whsec|pass|t0ken/);
    }
  });

  test('list has each webhook once, also over several reads', async () => {
    await using shops = await openShops(engine);
    // One more than a read returns. The second read begins within a workspace.
    await shops.addWebhook();
    const others = 'types, description, secret, position, revision, created_at, digest';
    await shops.sql(`WITH RECURSIVE numbers (number) AS (SELECT 2 UNION ALL SELECT number + 1 FROM numbers WHERE number < 250)
      INSERT INTO webhooks (workspace_id, id, url, ${others})
      SELECT workspace_id, number, url, ${others} FROM webhooks, numbers`);
    await shops.sql(`INSERT INTO webhooks (workspace_id, id, url, ${others})
      SELECT ${shops.shopId}, id, url, ${others} FROM webhooks UNION ALL
      SELECT ${shops.shopId}, 251, url, ${others} FROM webhooks WHERE id = 1`);
    const { stdout } = await shops.run('list', '--all', '--json');
    const listed = JSON.parse(stdout).map(
      ({ id, workspace }: { id: number; workspace: string }) => `${workspace} ${id}`,
    );
    expect(listed).toHaveLength(501);
    expect(listed).toEqual([
      ...Array.from({ length: 250 }, (_, index) => `default ${index + 1}`),
      ...Array.from({ length: 251 }, (_, index) => `shop ${index + 1}`),
    ]);
  });

  test('resume --all continues the paused webhooks of all workspaces or of one, with an entry in the audit trail', async () => {
    await using shops = await openShops(engine);
    await shops.addWebhook();
    await shops.addWebhook();
    await shops.addWebhook();
    await shops.addWebhook({ workspaceId: shops.shopId });
    await shops.sql(`UPDATE webhooks SET failure_count = 7, failing_since = 1, retry_step = 4, next_attempt_at = 5,
      status = CASE WHEN id = 2 THEN 'disabled' WHEN id = 3 THEN 'failing' ELSE 'paused' END`);
    expect(await shops.run('resume', '--all', '--workspace', 'shop')).toEqual({
      exitCode: 0,
      stdout: 'Resumed 1 webhook.\n',
      stderr: '',
    });
    expect(await shops.statuses()).toEqual([
      'default 1 paused 0',
      'default 2 disabled 0',
      'default 3 failing 0',
      'shop 1 enabled 0',
    ]);
    await shops.addWebhook();
    await shops.sql("UPDATE webhooks SET status = 'paused' WHERE id = 4");
    expect((await shops.run('resume', '--all')).stdout).toBe('Resumed 2 webhooks.\n');
    expect((await shops.run('resume', '--all')).stdout).toBe('Resumed 0 webhooks.\n');
    const trail = await readAuditTrail(shops.database);
    const [entry, ...others] = trail.filter(({ event }) => event === 'webhook_changed');
    expect(others).toHaveLength(2);
    const created = trail.find(({ event }) => event === 'webhook_created');
    // The account of a process, as of every other command. A request would add its key or session.
    expect(entry?.actor).toBe(created?.actor ?? '');
    expect(JSON.parse(entry?.details ?? '')).toEqual({
      webhookId: 1,
      workspace: 'shop',
      url: 'https://shop.example/hook/…',
      types: null,
      status: 'enabled',
      position: 0,
      changed: 'status',
    });
  });

  test('resume continues webhooks by their ids, and says which needed nothing or do not exist', async () => {
    await using shops = await openShops(engine);
    for (let count = 0; count < 4; count += 1) await shops.addWebhook();
    await shops.sql(`UPDATE webhooks SET next_attempt_at = 5, status =
      CASE id WHEN 1 THEN 'paused' WHEN 2 THEN 'disabled' WHEN 3 THEN 'failing' ELSE 'enabled' END`);
    expect(await shops.run('resume', '1', '2', '3', '4', '9', '1')).toEqual({
      exitCode: 1,
      stdout: [
        'Webhook 3 of workspace default is failing. The server tries it again now.',
        'Webhook 4 of workspace default was already enabled.',
        'Resumed 2 webhooks.\n',
      ].join('\n'),
      stderr:
        'animal-store: Webhook 9 of workspace default does not exist; run webhooks list to see the webhooks\n',
    });
    expect(await shops.statuses()).toEqual([
      'default 1 enabled 0',
      'default 2 enabled 0',
      'default 3 failing 0',
      'default 4 enabled 0',
    ]);
  });

  test('resume names a webhook whose events are no longer kept, and --from continues it', async () => {
    await using shops = await openShops(engine);
    const { shopId } = shops;
    for (let count = 0; count < 3; count += 1) await shops.addWebhook({ workspaceId: shopId });
    await shops.addWebhook();
    await shops.addAnimals(8, shopId);
    await shops.sql("UPDATE webhooks SET status = 'paused', read_to = NULL");
    await shops.sql(`UPDATE webhooks SET position = 6 WHERE workspace_id = ${shopId} AND id = 3`);
    await shops.sql('DELETE FROM events WHERE sequence <= 5');
    const line = (id: number, after = 0) =>
      `animal-store: Webhook ${id} of workspace shop was not resumed, because the feed does not have all events after ${after}. ` +
      `Run webhooks resume ${id} --workspace shop --from 5, or with --from now to skip all events until now\n`;
    expect(await shops.run('resume', '--all')).toEqual({
      exitCode: 1,
      stdout: 'Resumed 2 webhooks.\n',
      stderr: line(1) + line(2),
    });
    const resume = (id: number, from: string) =>
      shops.run('resume', String(id), '--workspace', 'shop', '--from', from);
    expect(await resume(1, '4')).toEqual({ exitCode: 1, stdout: '', stderr: line(1, 4) });
    expect((await resume(1, '5')).stdout).toBe('Resumed 1 webhook.\n');
    expect((await resume(2, 'now')).stdout).toBe('Resumed 1 webhook.\n');
    expect(await shops.statuses()).toEqual([
      'default 1 enabled 0',
      'shop 1 enabled 5',
      'shop 2 enabled 8',
      'shop 3 enabled 6',
    ]);
    await shops.sql("UPDATE webhooks SET status = 'paused', position = 0, read_to = NULL");
    expect((await shops.run('resume', '--all', '--from', 'now')).exitCode).toBe(0);
    expect((await shops.statuses()).slice(1)).toEqual([
      'shop 1 enabled 8',
      'shop 2 enabled 8',
      'shop 3 enabled 8',
    ]);
  });
});

describe('webhooks', () => {
  test('resume makes a running server deliver', async () => {
    await using shops = await openShops('sqlite');
    using receiver = startReceiver();
    const all = Promise.withResolvers<void>();
    receiver.answer = () => {
      if (new Set(receiver.sequences()).size === 3) all.resolve();
      return new Response(null, { status: 204 });
    };
    await shops.addWebhook({ url: receiver.url });
    await shops.sql("UPDATE webhooks SET status = 'paused'");
    await shops.addAnimals(3);
    // Only one process may serve.
    await shops.database[Symbol.asyncDispose]();
    await using server = await startServerProcess(shops.data.url, {
      args: ['--webhook-allow', '127.0.0.1'],
    });
    expect((await shops.run('resume', '1')).stdout).toBe('Resumed 1 webhook.\n');
    await all.promise;
    expect(receiver.sequences().toSorted()).toEqual([1, 2, 3]);
    expect(await server.stop('SIGTERM')).toBe(0);
  });
});
