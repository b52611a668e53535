import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dir, '../..');

/** The paths of all pages. */
export const pages: readonly string[] = ['*.md', 'docs/**/*.md', 'client/*.md']
  .flatMap((glob) => [...new Bun.Glob(glob).scanSync(root)])
  .sort();

export function readPage(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

export interface CodeBlock {
  /** Empty for commands with their output. */
  readonly language: string;
  readonly code: string;
}

export function codeBlocks(text: string): CodeBlock[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    language,
    code,
  }));
}

/** The commands in the shell blocks of a page, each on one line. In a block without a language they begin with `$ `. */
export function shellCommands(text: string): string[] {
  return codeBlocks(text).flatMap(({ language, code }) => {
    const lines = code.replaceAll(/\\\n\s*/g, '').split('\n');
    if (language === 'sh') return lines;
    return language === '' ? lines.filter((line) => line.startsWith('$ ')) : [];
  });
}

/** The texts between backticks, outside of blocks. */
export function codeSpans(text: string): string[] {
  const prose = text.replaceAll(/^```\w*\n[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '));
}

/** The anchors of the headings of a page, as GitHub makes them. */
export function anchorsOf(text: string): string[] {
  const prose = text.replaceAll(/^```\w*\n[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}
