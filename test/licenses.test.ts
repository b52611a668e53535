import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { makeThirdPartyLicenses } from '../scripts/generate-licenses.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const root = join(import.meta.dir, '..');

test('THIRD-PARTY-LICENSES.txt has the licence of every package that npm installs for users; npm run licenses writes it', async () => {
  const text = await Bun.file(join(root, 'THIRD-PARTY-LICENSES.txt')).text();
  expect(makeThirdPartyLicenses(root)).toBe(text);
});

test('a package without a licence text, or with a licence that does not fit, stops the list', async () => {
  using folder = makeTemporaryFolder();
  const packages: Record<string, object> = {};
  const add = async (name: string, license: string | undefined, files: object, lock = {}) => {
    packages[`node_modules/${name}`] = { version: '1.0.0', ...lock };
    const manifest = JSON.stringify({ version: '1.0.0', license });
    for (const [file, text] of Object.entries({ 'package.json': manifest, ...files })) {
      await Bun.write(join(folder.path, 'node_modules', name, file), text);
    }
  };
  const makeList = async () => {
    await Bun.write(join(folder.path, 'package-lock.json'), JSON.stringify({ packages }));
    return makeThirdPartyLicenses(folder.path);
  };
  await add('fit', 'MIT', { license: 'Do what you want.\n' });
  await add('in-readme', 'ISC', { 'README.md': '# In it\n\n## License\n\nDo it.\n\n## More\n' });
  await add('for-tests', 'GPL-3.0-only', {}, { dev: true });
  const list = await makeList();
  expect(list).toMatch(/\nfit +1\.0\.0 +MIT\nin-readme +1\.0\.0 +ISC\n\n=/);
  expect(list).toContain('fit 1.0.0 (MIT)\n\nDo what you want.\n');
  expect(list).toEndWith('in-readme 1.0.0 (ISC)\n\nDo it.\n');

  await add('copyleft', 'GPL-3.0-only', { LICENSE: 'Do what we want.' });
  await add('unknown', undefined, { LICENSE: 'All rights reserved.' });
  await add('silent', 'MIT', { 'README.md': '# Silent\n' });
  await add('empty', 'MIT', { LICENSE: '\n' });
  await add('older', 'MIT', { LICENSE: 'MIT' }, { version: '2.0.0' });
  await add('bun', 'MIT', { LICENSE: 'Another version than the one described.' });
  packages['node_modules/absent'] = { version: '1.0.0' };
  const faults = await makeList().catch((error: Error) => error.message.split('\n'));
  expect(faults).toEqual([
    'copyleft 1.0.0 has GPL-3.0-only, which is not one of 0BSD, Apache-2.0, BSD-2-Clause, BSD-3-Clause, ISC, MIT',
    'unknown 1.0.0 has no licence, which is not one of 0BSD, Apache-2.0, BSD-2-Clause, BSD-3-Clause, ISC, MIT',
    'silent 1.0.0 has no licence text',
    'empty 1.0.0 has no licence text',
    'older 2.0.0 is not installed; run: npm ci',
    'bun 1.0.0 has no licence text',
    'absent 1.0.0 is not installed; run: npm ci',
  ]);
});

test('the licences name every library that Bun says it contains', async () => {
  const text = await Bun.file(join(root, 'scripts/licenses/bun.txt')).text();
  const names: Record<string, string> = {
    ares: 'c-ares',
    lolhtml: 'lol-html',
    lshpack: 'ls-hpack',
    uv: 'libuv',
    zlib: 'zlib-ng',
  };
  // The versions of interfaces of Node.js, V8 and others that Bun offers, and of the Unicode tables of ICU.
  const interfaces = ['node', 'modules', 'napi', 'openssl', 'typescript', 'unicode', 'v8'];
  const libraries = Object.keys(process.versions).filter((name) => !interfaces.includes(name));
  const unnamed = libraries.filter(
    (name) => !new RegExp(`\\b${RegExp.escape(names[name] ?? name)}\\b`, 'i').test(text),
  );
  expect(libraries.length).toBeGreaterThan(15);
  expect(unnamed).toEqual([]);
});
