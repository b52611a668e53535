import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

// Measures which lines of the console run in its tests without a browser: the unit tests and the component tests. Its texts and
// styles do not count, and neither do generated files and what only starts a page or a worker.

const root = join(import.meta.dir, '..');
const left = /^console\/src\/(?:texts\/|contract\.ts|main\.tsx|start\.ts|workbook\/worker\.ts)/;
const files = [...new Bun.Glob('console/src/**/*.{ts,tsx}').scanSync(root)]
  .filter((file) => !left.test(file) && !/\.test\.tsx?$/.test(file))
  .sort();
const folder = mkdtempSync(join(tmpdir(), 'console-coverage-'));

/** By file, the lines that can run, and whether they did. */
const lines = new Map<string, Map<number, boolean>>(files.map((file) => [file, new Map()]));

function measure(name: string, cwd: string, args: readonly string[]): void {
  const directory = join(folder, name);
  const options = ['--coverage', '--coverage-reporter=lcov', `--coverage-dir=${directory}`];
  const { exitCode } = Bun.spawnSync(
    [process.execPath, 'test', '--timeout', '60000', ...options, ...args],
    { cwd, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (exitCode !== 0) throw new Error(`The ${name} failed.`);
  let found: Map<number, boolean> | undefined;
  for (const line of readFileSync(join(directory, 'lcov.info'), 'utf8').split('\n')) {
    const [kind, value = ''] = line.split(/:(.*)/);
    if (kind === 'SF') found = lines.get(relative(root, join(cwd, value)));
    if (kind !== 'DA' || found === undefined) continue;
    const [number, count] = value.split(',').map(Number);
    if (number === undefined) continue;
    found.set(number, found.get(number) === true || (count ?? 0) > 0);
  }
}

const unitTests = ['test/console-*.test.ts', 'console/src/**/*.test.ts']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  .filter((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return text.includes('console/src/') || file.startsWith('console/');
  })
  .map((file) => `./${file}`);

try {
  measure('unit tests', root, unitTests);
  const loadAll = join(folder, 'load-all.ts');
  writeFileSync(loadAll, files.map((file) => `import '${join(root, file)}';`).join('\n'));
  // So that the lines of files without a test count too. The others preload what makes a page.
  const preloads = ['../test/support/memory-disk.ts', './test/dom.ts', './test/open-page.tsx'];
  const options = [...preloads, loadAll].flatMap((file) => ['--preload', file]);
  measure('component tests', join(root, 'console'), options);
} finally {
  rmSync(folder, { recursive: true });
}

let all = 0;
let ran = 0;
for (const [file, found] of lines) {
  const count = [...found.values()].filter((isRun) => isRun).length;
  all += found.size;
  ran += count;
  const share = found.size === 0 ? '' : `${Math.round((100 * count) / found.size)} %`;
  console.log(`${file.padEnd(56)} ${share.padStart(6)} ${count}/${found.size}`);
}
console.log(`${(100 * (ran / all)).toFixed(1)} % of ${all} lines`);
