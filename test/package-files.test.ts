import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = join(import.meta.dir, '..');

const packages = [
  {
    folder: '.',
    allowed: /^(?:bin|src|client\/src|console\/src|docs)\/|^client\/README\.md$|^[^/]+$/,
  },
  { folder: 'client', allowed: /^dist\/|^[^/]+$/ },
];

/** The files that `npm pack` would put into a package. */
function listFiles(folder: string): string[] {
  const command = ['npm', 'pack', '--dry-run', '--json', '--silent', '--ignore-scripts'];
  const { success, stdout, stderr } = Bun.spawnSync(command, { cwd: join(root, folder) });
  if (!success) throw new Error(`npm pack failed: ${stderr}`);
  const text = stdout.toString();
  const [{ files }] = JSON.parse(text.slice(text.indexOf('[\n'))) as [
    { files: { path: string }[] },
  ];
  return files.map(({ path }) => path).sort();
}

test.each(packages)(
  'the package in $folder has its licence, no tests, and every file that its documents link to',
  ({ folder, allowed }) => {
    const files = listFiles(folder);
    expect(files).toContain('LICENSE');
    expect(files).toContain('README.md');
    const unneeded = files.filter((file) => !allowed.test(file) || /\.test\.|tsconfig/.test(file));
    expect(unneeded).toEqual([]);
    const links = files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) => {
        const text = readFileSync(join(root, folder, file), 'utf8');
        const targets = [...text.matchAll(/(?:\]\(|src="|href=")(?!#|\w+:)([^)#"\s]+)/g)];
        return targets.map(([, target = '']) => ({
          file,
          path: normalize(join(dirname(file), target)),
        }));
      });
    const isThere = (path: string) =>
      files.some((file) => file === path || file.startsWith(`${path}/`));
    const dead = links
      .filter(({ path }) => !isThere(path))
      .map(({ file, path }) => `${file}: ${path}`);
    expect(dead).toEqual([]);
  },
);

test('both packages have the same licence', () => {
  const read = (file: string) => readFileSync(join(root, file), 'utf8');
  expect(read('client/LICENSE')).toBe(read('LICENSE'));
});
