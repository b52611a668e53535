import { expect, test } from 'bun:test';
import { addAnimal } from './support/call-server.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

// SQLite lets the next process write by chance. A command without rests kept a server waiting for seconds.
test('a server has half of the time for its writes during a long command', async () => {
  using folder = makeTemporaryFolder();
  const url = `sqlite:${folder.path}/a.db`;
  const run = (...args: string[]) => runProgram([...args, '--database', url]);
  await run('workspaces', 'create', 'shop');
  await run('demo', '--workspace', 'shop', '--animals', '120000');
  await using server = await startServerProcess(url);
  const { apiKey } = JSON.parse((await run('keys', 'create', '--name', 'a', '--json')).stdout);

  async function countWritesDuring(running: ReturnType<typeof run>): Promise<number> {
    let isRunning = true;
    const ended = running.finally(() => {
      isRunning = false;
    });
    let writes = 0;
    while (isRunning) {
      const response = await addAnimal(server, apiKey);
      expect(response.status).toBe(201);
      await response.arrayBuffer();
      writes += 1;
    }
    expect(await ended).toMatchObject({ exitCode: 0 });
    return writes;
  }

  // With rests, 60 steps let it write about 1000 times; without, 170 times and 400 times.
  expect(await countWritesDuring(run('demo', '--animals', '60000'))).toBeGreaterThan(450);
  const deleting = run('workspaces', 'delete', 'shop', '--yes');
  expect(await countWritesDuring(deleting)).toBeGreaterThan(650);
}, 60_000);
