import { join } from 'node:path';
import type { LongTest, TestOutcome } from '../faults/long-test.ts';
import { runIn } from '../support/run-in.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { installInto, npm } from './runtimes.ts';

const readme = await Bun.file(join(import.meta.dir, '../../client/README.md')).text();

/** The configuration that the README shows for Jest. */
const jestConfig = /```cjs\n(\/\/ jest\.config\.cjs\n.*?)```/s.exec(readme)?.[1] ?? '';

const list = `
const { createAnimalStore } = require('animal-store-client');
const store = createAnimalStore({ baseUrl: process.env.URL, apiKey: process.env.KEY });
const read = () => store.pets.list().toArray({ max: 9 });`;

const files = {
  'require.cjs': `${list}\nread().then(({ length }) => console.log(length + ' animals'));`,
  'animals.test.cjs': `${list}\ntest('reads', async () => expect(await read()).toEqual([]));`,
  'service.ts': `import { createAnimalStore, type Pet } from 'animal-store-client';
export const first = async (apiKey: string): Promise<Pet | undefined> =>
  (await createAnimalStore({ baseUrl: 'http://127.0.0.1:1/v1', apiKey }).pets.list().toArray({ max: 1 }))[0];`,
  'jest.config.cjs': jestConfig,
};

export const commonjs: LongTest = {
  name: 'commonjs',
  title: 'from CommonJS, with Jest and with the settings of NestJS',
  async run(): Promise<TestOutcome> {
    using folder = makeTemporaryFolder();
    await using server = await startServerProcess(`sqlite:${folder.path}/animals.db`);
    for (const [name, text] of Object.entries(files))
      await Bun.write(join(folder.path, name), text);
    await installInto(folder.path, '{"private":true}');
    const jest = [
      'jest@30.2.0',
      'babel-jest@30.2.0',
      '@babel/core@7.28.5',
      '@babel/preset-env@7.28.5',
    ];
    await npm(folder.path, 'install', '--no-save', 'typescript@5.9', ...jest);
    const environment = { URL: `${server.origin}/v1`, KEY: server.firstKey ?? '' };
    const broken: string[] = [];
    const tsc = [
      'node_modules/.bin/tsc',
      '--noEmit',
      '--strict',
      '--target',
      'es2023',
      '--skipLibCheck',
      'false',
      'service.ts',
    ];
    for (const [command, wanted] of [
      [['node', 'require.cjs'], '0 animals'],
      [['node_modules/.bin/jest'], ''],
      [[...tsc, '--module', 'commonjs', '--moduleResolution', 'node10'], ''],
      [[...tsc, '--module', 'nodenext'], ''],
    ] as const) {
      const { exitCode, text } = await runIn(folder.path, command, environment);
      if (exitCode !== 0 || !text.includes(wanted)) broken.push(`${command.join(' ')}: ${text}`);
    }
    return { figures: ['require, Jest, node10 and nodenext work'], broken };
  },
};
