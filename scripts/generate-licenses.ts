// Generates THIRD-PARTY-LICENSES.txt: the name, version, licence and licence text of each package that npm installs with the
// service. Bun's package has no licence texts, so scripts/licenses/ has what Bun's binary contains.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Licences that allow to use, change and distribute, also together with MIT, on the condition that their text is included. */
const fitLicences = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** Files with a licence or a notice, also of what swagger-ui-dist has bundled into the script that the service sends. */
const licenceFile =
  /^(?:licen[cs]e|copying|notice)(?:[.-]|$)|^swagger-ui-bundle\.js\.LICENSE\.txt$/i;

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      link: z.boolean().optional(),
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
    }),
  ),
});

const packageSchema = z.object({ version: z.string(), license: z.string().optional() });

interface Package {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string;
}

/** @throws Error with every package whose licence does not fit, whose licence text is missing, or that is not installed. */
export function makeThirdPartyLicenses(root: string): string {
  const faults: string[] = [];
  const packages = installedPaths(root)
    .map(({ path, version }) => readPackage(root, path, version, faults))
    .sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const width = Math.max(...packages.map(({ name }) => name.length));
  const rows = packages.map(
    ({ name, version, licence }) => `${name.padEnd(width)}  ${version.padEnd(7)}  ${licence}`,
  );
  const texts = packages.map(
    ({ name, version, licence, text }) =>
      `${'='.repeat(80)}\n${name} ${version} (${licence})\n\n${text}\n`,
  );
  return `Software of others that comes with the Animal Store Service, with its licences

${rows.join('\n')}

${texts.join('\n')}`;
}

/** The packages that are installed for users. Those with Bun's binary for one platform are part of the package `bun`. */
function installedPaths(root: string): { path: string; version: string }[] {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  return Object.entries(lockSchema.parse(JSON.parse(text)).packages)
    .filter(([path]) => path.startsWith('node_modules/') && !path.includes('/@oven/bun-'))
    .filter(([, { link, dev, devOptional }]) => !(link || dev || devOptional))
    .map(([path, { version = '' }]) => ({ path, version }));
}

function readPackage(root: string, path: string, version: string, faults: string[]): Package {
  const folder = join(root, path);
  const name = path.replace(/.*node_modules\//, '');
  const manifest = join(folder, 'package.json');
  const installed = existsSync(manifest)
    ? packageSchema.parse(JSON.parse(readFileSync(manifest, 'utf8')))
    : undefined;
  const licence = installed?.license ?? 'no licence';
  const text = name === 'bun' ? bunText(version) : licenceText(folder);
  if (installed?.version !== version) {
    faults.push(`${name} ${version} is not installed; run: npm ci`);
  } else if (!fitLicences.includes(licence)) {
    faults.push(`${name} ${version} has ${licence}, which is not one of ${fitLicences.join(', ')}`);
  } else if (text === undefined) {
    faults.push(`${name} ${version} has no licence text`);
  }
  return { name, version, licence, text: text ?? '' };
}

/** The licence files of a package, or the section about its licence in its README. */
function licenceText(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const names = readdirSync(folder).sort();
  const files = names.filter((name) => licenceFile.test(name)).map(read);
  const readmes = names.filter((name) => /^readme\.md$/i.test(name)).map(read);
  const sections = readmes.map((text) => text.split(/^## licen[cs]e$/im)[1]?.split(/^#/m)[0] ?? '');
  const texts = (files.length > 0 ? files : sections).map(tidy).filter((text) => text !== '');
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/** What a new version of Bun contains has to be read, so the description is of one version. */
function bunText(version: string): string | undefined {
  const read = (name: string) => readFileSync(join(import.meta.dir, 'licenses', name), 'utf8');
  const text = read('bun.txt');
  if (!text.startsWith(`Bun ${version} `)) return undefined;
  return `${tidy(text)}\n\n${tidy(read('lgpl-2.1.txt'))}`;
}

function tidy(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(/[ \t\f]+$/gm, '')
    .replace(/^\n+/, '')
    .trimEnd();
}

if (import.meta.main) {
  const root = join(import.meta.dir, '..');
  await Bun.write(join(root, 'THIRD-PARTY-LICENSES.txt'), makeThirdPartyLicenses(root));
}
