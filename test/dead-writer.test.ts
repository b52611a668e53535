import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { call } from './support/call-server.ts';
import { type ServerProcess, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const preload = join(import.meta.dir, 'support/dying-writer.ts');

function add(server: ServerProcess, apiKey: string | undefined, name: string): Promise<Response> {
  return call(server, apiKey, '/v1/pets', 'POST', { name, categoryId: 1 });
}

test('a server with a dead writer answers its running requests and ends with 1, and the next server has the data', async () => {
  using folder = makeTemporaryFolder();
  const url = `sqlite:${folder.path}/test.db`;
  let apiKey: string | undefined;
  {
    await using server = await startServerProcess(url, {
      env: { BUN_OPTIONS: `--preload ${preload}` },
    });
    apiKey = server.firstKey;
    expect((await add(server, apiKey, 'Rex')).status).toBe(201);
    const answer = await add(server, apiKey, 'deadly');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'outcome_unknown' });
    expect(await server.ended).toBe(1);
    expect(server.output().stderr).toContain('animal-store: The SQLite thread failed: ');
  }
  await using server = await startServerProcess(url);
  expect(await (await add(server, apiKey, 'Coco')).json()).toMatchObject({ id: 2 });
});
