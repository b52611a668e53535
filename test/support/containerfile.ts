import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An instruction, such as `COPY package.json package-lock.json ./`. */
interface Instruction {
  readonly name: string;
  readonly text: string;
}

const root = join(import.meta.dir, '../..');

/** The instructions of the stage `build` of Containerfile, and those after it. */
export function readContainerfile(): { build: Instruction[]; image: Instruction[] } {
  const instructions = readFileSync(join(root, 'Containerfile'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [name = '', ...words] = line.split(' ');
      return { name, text: words.join(' ') };
    });
  const end = instructions.findLastIndex(({ name }) => name === 'FROM');
  return { build: instructions.slice(0, end), image: instructions.slice(end) };
}

/** The sources of a `COPY`, and its target, without its options. */
export function copiedPaths({ text }: Instruction): { sources: string[]; target: string } {
  const paths = text.split(' ').filter((word) => !word.startsWith('--'));
  return { sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}

/**
 * Whether .dockerignore lets a file through. The last pattern that matches the file, or a folder that it is in, decides.
 * https://docs.docker.com/build/concepts/context/#dockerignore-files
 */
export function isInBuildContext(file: string): boolean {
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const paths = file.split('/').map((_name, index, names) => names.slice(0, index + 1).join('/'));
  const last = patterns.findLast((pattern) => {
    const glob = new Bun.Glob(pattern.replace(/^!/, ''));
    return paths.some((path) => glob.match(path));
  });
  return last === undefined || last.startsWith('!');
}

/** Whether the stage `build` gets a file of the sources. */
export function isCopiedToBuild(file: string): boolean {
  const sources = readContainerfile()
    .build.filter(({ name }) => name === 'COPY')
    .flatMap((instruction) => copiedPaths(instruction).sources);
  return (
    isInBuildContext(file) &&
    sources.some((source) => file === source || file.startsWith(`${source}/`))
  );
}
