import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = join(import.meta.dir, '..');

/** The files that differ from the last commit, and new ones. */
export function changedFiles(): readonly string[] {
  const run = (...args: string[]) =>
    Bun.spawnSync(['git', ...args, '-z'], { cwd: root })
      .stdout.toString()
      .split('\0');
  const names = [
    ...run('diff', '--name-only', 'HEAD'),
    ...run('ls-files', '--others', '--exclude-standard'),
  ];
  return names.filter((name) => name !== '' && existsSync(join(root, name)));
}

/**
 * The test files that show soonest what a change broke: those that changed, those beside a changed file, and those that import one.
 * Tests that use it only through others are left to `npm test`.
 */
export function testsOfChanges(changed: readonly string[]): readonly string[] {
  const names = new Set(changed);
  const tests = [
    ...new Bun.Glob('{src,console,test,client}/**/*.{test,spec}.{ts,tsx}').scanSync(root),
  ];
  return tests
    .filter(
      (test) =>
        names.has(test) ||
        names.has(test.replace(/\.test\.tsx?$/, '.ts')) ||
        names.has(test.replace(/\.test\.tsx?$/, '.tsx')) ||
        importsOf(test).some((file) => names.has(file)),
    )
    .sort();
}

function importsOf(file: string): readonly string[] {
  const { imports } = new Bun.Transpiler({ loader: file.endsWith('x') ? 'tsx' : 'ts' }).scan(
    readFileSync(join(root, file), 'utf8'),
  );
  return imports
    .map(({ path }) => path)
    .filter((path) => path.startsWith('.'))
    .map((path) => normalize(join(dirname(file), path)));
}

function run(command: string, args: readonly string[], tests: readonly string[]): void {
  if (tests.length === 0) return;
  const { exitCode } = Bun.spawnSync([command, ...args, ...tests.map((test) => `./${test}`)], {
    cwd: root,
    stdio: ['inherit', 'inherit', 'inherit'],
  });
  if (exitCode !== 0) process.exitCode = exitCode ?? 1;
}

if (import.meta.main) {
  const tests = testsOfChanges(changedFiles());
  if (tests.length === 0) console.log('No test is beside what changed, or imports it.');
  const isSpec = (test: string) => test.endsWith('.spec.ts');
  const isComponent = (test: string) => test.endsWith('.test.tsx');
  const options = ['test', '--timeout', '60000', '--parallel=3', '--no-isolate'];
  run(
    process.execPath,
    options,
    tests.filter((test) => !isSpec(test) && !isComponent(test)),
  );
  const components = tests.filter(isComponent).map((test) => test.replace('console/', ''));
  run('npm', ['run', '--silent', 'test:components', '--'], components);
  run('npm', ['run', '--silent', 'test:console', '--'], tests.filter(isSpec));
}
