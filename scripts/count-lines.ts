import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// Counts lines of code: without blank lines, lines that are only a comment, generated files and data. So that a change of the weight of
// this program can be seen, by room and as a whole.

const root = join(import.meta.dir, '..');

/** The parts that are counted. A file counts in the first part whose pattern it matches. */
const parts = [
  { name: 'left out: generated', pattern: /(?:^|\/)contract\.ts$|^openapi.*\.yaml$/ },
  {
    name: 'left out: console and its tests',
    pattern: /^console\/|^test\/(?:support\/)?console/,
  },
  {
    name: 'data of tests, lines',
    pattern: /^test\/.*\.(?:json|txt|csv|sql|ya?ml|tsv)$/,
    isData: true,
  },
  { name: 'tests', pattern: /\.test\.tsx?$|^test\/.*\.(?:[cm]?[jt]sx?|html)$/ },
  { name: 'src', pattern: /^src\/.*\.(?:tsx?|sql|js)$/ },
  { name: 'client', pattern: /^client\/src\/.*\.ts$/ },
  { name: 'bench', pattern: /^bench\/.*\.(?:[cm]?[jt]s|lua|py)$/ },
  { name: 'scripts', pattern: /^scripts\/.*\.ts$/ },
  { name: 'words of Markdown', pattern: /\.md$/, isText: true },
] as const;

/** Counts lines that are more than a comment. */
function countCode(text: string): number {
  let isComment = false;
  return text.split('\n').filter((line) => {
    const rest = line.trim();
    if (isComment) {
      isComment = !rest.includes('*/');
      return false;
    }
    if (rest.startsWith('/*')) {
      isComment = !rest.includes('*/');
      return false;
    }
    return rest !== '' && !/^(?:\/\/|--|#!)/.test(rest);
  }).length;
}

function countOf(part: (typeof parts)[number], text: string): number {
  if ('isText' in part) return text.split(/\s+/).filter((word) => word !== '').length;
  return 'isData' in part ? text.split('\n').length : countCode(text);
}

const listed = Bun.spawnSync(
  ['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
  {
    cwd: root,
  },
).stdout.toString();
const sums = new Map<string, { files: number; count: number }>();

function add(name: string, count: number): void {
  const sum = sums.get(name) ?? { files: 0, count: 0 };
  sums.set(name, { files: sum.files + 1, count: sum.count + count });
}

for (const file of listed.split('\0').filter((name) => name !== '')) {
  if (!(await Bun.file(join(root, file)).exists())) continue;
  const text = readFileSync(join(root, file), 'utf8');
  // A generated page says so in its first line.
  const isGeneratedPage = text.startsWith('<!-- Generated');
  const part = isGeneratedPage ? parts[0] : parts.find(({ pattern }) => pattern.test(file));
  if (part === undefined) continue;
  const count = countOf(part, text);
  add(part.name, count);
  if (part.name === 'src') add(`  ${dirname(file).split('/').slice(0, 3).join('/')}`, count);
}
for (const [name, { files, count }] of [...sums].sort(([a], [b]) => a.localeCompare(b))) {
  console.log(`${name.padEnd(40)} ${String(files).padStart(5)} files ${String(count).padStart(7)}`);
}
