import { expect, test } from 'bun:test';
import { cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { copiedPaths, isInBuildContext, readContainerfile } from './support/containerfile.ts';
import { startServerProcess } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';
import { tryAnimals, tryConsole } from './support/try-service.ts';

// Installs packages and builds the executable, so that only `npm run test:container` and .ci/run run it.

const root = join(import.meta.dir, '..');

/** Runs a command to its end, and returns what it printed. */
function run(command: readonly string[], folder: string): string {
  const env = { ...process.env, NODE_ENV: undefined, npm_config_prefer_offline: 'true' };
  const { success, stdout, stderr } = Bun.spawnSync([...command], { cwd: folder, env });
  if (!success) throw new Error(`${command.join(' ')} failed: ${stderr}${stdout}`);
  return stdout.toString();
}

/** A folder with the files of the repository that the build gets to see. */
function copyBuildContext(target: string): void {
  const files = run(['git', 'ls-files', '--cached', '--others', '--exclude-standard'], root);
  for (const file of files.trimEnd().split('\n').filter(isInBuildContext)) {
    cpSync(join(root, file), join(target, file));
  }
}

test('the build of the Containerfile makes an executable that runs, with its console', async () => {
  using folder = makeTemporaryFolder();
  const context = join(folder.path, 'context');
  copyBuildContext(context);
  const { build, image } = readContainerfile();
  const workFolder = build.find(({ name }) => name === 'WORKDIR')?.text ?? '';
  const work = join(folder.path, workFolder);
  mkdirSync(work);
  for (const instruction of build) {
    if (instruction.name === 'RUN') run(['sh', '-c', instruction.text], work);
    if (instruction.name !== 'COPY') continue;
    const { sources, target } = copiedPaths(instruction);
    for (const source of sources) {
      const to = target.endsWith('/') ? join(target, basename(source)) : target;
      cpSync(join(context, source), join(work, to), { recursive: true });
    }
  }
  const copied = image
    .filter(({ name, text }) => name === 'COPY' && text.includes('--from=build'))
    .flatMap((instruction) => copiedPaths(instruction).sources);
  const [executable = ''] = copied;
  for (const path of copied) run(['test', '-e', join(folder.path, path)], work);
  expect(run([join(folder.path, executable), '--version'], folder.path)).toBe(
    `${packageJson.version}\n`,
  );
  const program = [join(folder.path, executable)];
  await using server = await startServerProcess(`sqlite:${folder.path}/test.db`, { program });
  await tryAnimals(server.origin, server.firstKey, 'Rex');
  await tryConsole(server.origin, server.firstKey, 'Rex');
});
