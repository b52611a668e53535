import { runProgram, startServerProcess } from '../support/server-process.ts';
import { compareAnswers, countAcknowledged } from './compare-answers.ts';
import type { Fault, FaultOutcome } from './fault.ts';
import { missingForMounts, mountLoop } from './mounts.ts';
import { addOne, authorization, loadOf, sqliteDataIn } from './sqlite-rig.ts';

export const readOnly: Fault = {
  name: 'read-only',
  title: 'file system that turns read-only under the server',
  promise:
    'No animal is acknowledged that was not stored; writes get 503. A server that is started on it ends with 1 and one clear line; `verify` reads it, with its log.',
  missing: () => missingForMounts('ext4'),
  run,
};

async function run(): Promise<FaultOutcome> {
  using mount = mountLoop('ext4', 64);
  const store = sqliteDataIn(mount.folder);
  const broken: string[] = [];
  await using server = await store.start();
  const load = loadOf(server, 16, 1, 'Before');
  await Bun.sleep(300);
  mount.abort();
  await Bun.sleep(300);
  await load.stop();
  const httpStatus = await addOne(server.origin, 'After');
  if (httpStatus !== 503) broken.push(`a write got ${httpStatus}`);
  const list = await fetch(`${server.origin}/v1/pets`, { headers: authorization }).catch(
    () => undefined,
  );
  const listStatus = list?.status ?? 0;
  await server.stop('SIGKILL');

  const refusal = await startServerProcess(`sqlite:${store.path}`).then(
    async (started) => {
      await started.stop('SIGKILL');
      return undefined;
    },
    (error: Error) => error.message,
  );
  const line = /^The server ended with 1: (animal-store: [^\n]+)\n?$/.exec(refusal ?? '')?.[1];
  if (line === undefined) broken.push(`a start on it: ${refusal ?? 'it started'}`);
  const verified = await runProgram(['verify'], { DATABASE_URL: `sqlite:${store.path}` });
  if (verified.exitCode !== 0) broken.push(`verify on it: ${verified.stderr}`);
  await mount.cutPower(async () => {});
  broken.push(...compareAnswers([load], store.readAnimals()));
  return {
    figures: [
      `${countAcknowledged([load])} acknowledged, ${broken.length === 0 ? 'none lost' : broken.join(', ')}`,
      `then a write got ${httpStatus} and a read ${listStatus}`,
    ],
    broken,
  };
}
