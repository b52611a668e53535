import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { openTestServer } from './support/test-server.ts';

const page = await Bun.file(join(import.meta.dir, '../docs/clients.md')).text();

test('the JavaScript in docs/clients.md sends and reads every digit of an int64', async () => {
  await using server = await openTestServer();
  const [, script = ''] = /```js\n(.*?)```/s.exec(page) ?? [];
  const child = Bun.spawn([process.execPath, '--eval', script], {
    env: { URL: `http://127.0.0.1:${server.port}/v1`, KEY: server.app.apiKey },
    stderr: 'inherit',
  });
  expect(await new Response(child.stdout).text()).toBe('9223372036854775807n\n');
  expect(await server.app.database.readPet(1n, 1n)).toMatchObject({ categoryId: 2n ** 63n - 1n });
});
