import { expect, test } from 'bun:test';
import { call } from './support/call-server.ts';
import { administer } from './support/postgres.ts';
import { hasOldPostgres, startPostgresServer } from './support/postgres-server.ts';
import { runProgram, startServerProcess } from './support/server-process.ts';

// All other tests use the newest version.
test.skipIf(!hasOldPostgres)(
  'PostgreSQL 14 serves, keeps int64, verifies and copies the data',
  async () => {
    await using postgres = await startPostgresServer({ version: 14 });
    const url = `${postgres.url}/postgres`;
    const [shown] = await administer(postgres.url, 'SHOW server_version');
    expect(String(shown?.server_version)).toStartWith('14.');
    {
      await using server = await startServerProcess(url);
      const send = (method: string, path: string, body?: string) =>
        call(server, server.firstKey, `/v1${path}`, method, body);
      const pet = '{"name":"Rex","categoryId":9223372036854775807}';
      expect((await send('POST', '/pets', pet)).status).toBe(201);
      expect(await (await send('GET', '/pets/1')).text()).toContain('9223372036854775807');
      expect((await send('PATCH', '/pets/1', '{"status":"sold"}')).status).toBe(200);
      expect((await send('PUT', '/categories/1', '{"name":"Dogs"}')).status).toBe(201);
      expect((await send('GET', '/pets?name=re&status=sold')).status).toBe(200);
      const events = (await (await send('GET', '/events')).json()) as unknown[];
      expect(events.length).toBeGreaterThanOrEqual(3);
      expect((await send('DELETE', '/pets/1')).status).toBe(204);
    }
    const env = { DATABASE_URL: url };
    expect((await runProgram(['demo', '--animals', '50', '--orders', '20'], env)).exitCode).toBe(0);
    const verified = await runProgram(['verify'], env);
    expect([verified.exitCode, verified.stdout]).toEqual([0, expect.stringContaining('No damage')]);
    await administer(postgres.url, 'CREATE DATABASE other');
    const copied = await runProgram(['copy', '--from', url, '--to', `${postgres.url}/other`]);
    expect([copied.exitCode, copied.stderr]).toEqual([0, '']);
    const accepted = await runProgram(['accept-restored', '--yes'], env);
    expect(accepted.exitCode).toBe(0);
  },
);
