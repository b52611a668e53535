import { runProgram } from '../support/server-process.ts';
import { compareAnswers } from './compare-answers.ts';
import { sqliteDatabaseIn } from './databases.ts';
import { acknowledgedFigure } from './figures.ts';
import { startLoad } from './load.ts';
import type { LongTest, TestOutcome } from './long-test.ts';
import { missingForMounts, mountLoop } from './mounts.ts';
import { addAnimal, request } from './requests.ts';

export const readOnly: LongTest = {
  name: 'read-only-disk',
  title: 'file system that becomes read-only under a running server',
  missing: () => missingForMounts('ext4'),
  run,
};

async function run(): Promise<TestOutcome> {
  using mount = mountLoop('ext4', 64);
  const database = sqliteDatabaseIn(mount.folder);
  const broken: string[] = [];
  await using server = await database.start();
  const load = startLoad(server, 16, 1, 'Before');
  await Bun.sleep(300);
  mount.abort();
  await Bun.sleep(300);
  await load.stop();
  const added = await addAnimal(server.origin, 'After');
  if (added.httpStatus !== 503) broken.push(`a write got ${added.httpStatus}`);
  const list = await request(`${server.origin}/v1/pets`);
  await server.stop('SIGKILL');

  const refusal = await database.start().then(
    async (started) => {
      const read = await request(`${started.origin}/v1/pets`);
      const write = await addAnimal(started.origin, 'Started');
      await started.stop('SIGKILL');
      return `a read got ${read.httpStatus} and a write ${write.httpStatus}`;
    },
    (error: Error) => error.message,
  );
  const isOneLine = /^The server ended with 1: animal-store: [^\n]+\n?$/.test(refusal);
  const isForReads = refusal === 'a read got 200 and a write 503';
  if (!isOneLine && !isForReads) broken.push(`a server started on it: ${refusal}`);
  const verified = await runProgram(['verify'], { DATABASE_URL: database.url });
  if (verified.exitCode !== 0) broken.push(`verify: ${verified.stderr}`);
  await mount.cutPower(async () => {});
  broken.push(...compareAnswers([load], database.readAnimals()));
  return {
    figures: [
      acknowledgedFigure([load], broken),
      `then a write got ${added.httpStatus} and a read ${list.httpStatus}`,
    ],
    broken,
  };
}
