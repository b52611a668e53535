import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { addAnimal, call } from './support/call-server.ts';
import { engineNames, prepareData } from './support/engines.ts';
import { runSql } from './support/postgres.ts';
import {
  runProgram,
  type ServerProcess,
  sourceProgram,
  startServerProcess,
} from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { startReceiver } from './support/webhook-receiver.ts';

/** Each receives all events of a number of animals, which it waits for. */
function startWaitingReceiver() {
  const receiver = startReceiver();
  let wanted = Number.POSITIVE_INFINITY;
  let all = Promise.withResolvers<void>();
  receiver.answer = () => {
    if (new Set(receiver.sequences()).size >= wanted) all.resolve();
    return new Response(null, { status: 204 });
  };
  return {
    receiver,
    async receives(count: number): Promise<void> {
      wanted = count;
      if (new Set(receiver.sequences()).size >= count) return;
      all = Promise.withResolvers();
      await all.promise;
    },
  };
}

test.each(engineNames)(
  'a server on %s delivers events to a permitted address, after kill -9 the next server misses none, and a stop ends its attempts',
  async (engine) => {
    await using data = await prepareData(engine);
    const { receiver, receives } = startWaitingReceiver();
    using _receiver = receiver;
    const settings = { args: ['--webhook-allow', '127.0.0.1'] };
    const created = await runProgram(
      ['keys', 'create', '--name', 'hooks', '--scopes', 'pets:write,webhooks:manage'],
      { DATABASE_URL: data.url },
    );
    const apiKey = /anst_live_\w+/.exec(created.stdout)?.[0];
    const addAnimals = async (server: ServerProcess, count: number) => {
      for (let index = 0; index < count; index += 1) {
        expect((await addAnimal(server, apiKey)).status).toBe(201);
      }
    };
    {
      await using server = await startServerProcess(data.url, settings);
      const webhook = await call(server, apiKey, '/v1/webhooks', 'POST', { url: receiver.url });
      expect(webhook.status).toBe(201);
      await addAnimals(server, 3);
      await receives(3);
      await addAnimals(server, 20);
      await server.stop('SIGKILL');
    }
    if (engine === 'postgres') {
      // The lease of the killed server would end after a minute.
      await runSql(data.url, 'UPDATE webhooks SET lease_until = 0');
    }
    await using server = await startServerProcess(data.url, settings);
    await addAnimals(server, 1);
    await receives(24);
    const begun = Promise.withResolvers<void>();
    receiver.answer = () => {
      begun.resolve();
      return new Promise<never>(() => {});
    };
    await addAnimals(server, 1);
    await begun.promise;
    // Also during an attempt.
    expect(await server.stop('SIGTERM')).toBe(0);
  },
);

test.each(engineNames)(
  'after a server on %s has stopped, nothing keeps its process alive',
  async (engine) => {
    await using data = await prepareData(engine);
    using folder = makeTemporaryFolder();
    const watch = join(folder.path, 'watch.ts');
    // A server that has stopped calls process.exit after a while. On a slow machine, its process can need longer to end by itself.
    const code = `const { exit } = process;
      process.exit = (code) => setTimeout(() => { console.log('was kept alive'); exit(code); }, 1500).unref();`;
    await Bun.write(watch, code);
    const [bun = '', ...main] = sourceProgram;
    await using server = await startServerProcess(data.url, {
      program: [bun, '--preload', watch, ...main],
    });
    expect(await server.stop('SIGTERM')).toBe(0);
    expect(server.output().stdout).not.toContain('was kept alive');
  },
);
