import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { createProgram } from '../src/cli/program.ts';
import { errorHttpStatus } from '../src/http/failure.ts';
import { errorMeanings } from '../src/http/openapi/errors.ts';
import { flagName, settings } from '../src/ops/config.ts';
import { anchorsOf, pages, readPage } from './support/documents.ts';
import { programCommands } from './support/program-commands.ts';
import { tableRows } from './support/table-rows.ts';

const root = join(import.meta.dir, '..');
const commands = programCommands();

/** Reports what a search finds on each page, after its name. */
function findOnPages(find: (text: string, page: string) => readonly string[]): string[] {
  return pages.flatMap((page) => find(readPage(page), page).map((fault) => `${page}: ${fault}`));
}

describe('docs/reference.md', () => {
  const page = readPage('docs/reference.md');
  const code = (text: string | undefined) => (text === undefined ? '' : `\`${text}\``);

  test('lists every command with its description and its own options', () => {
    const rows = commands.map(({ usage, description, options }) => {
      const own = options.filter((option) => !option.description.includes('(env: '));
      return `| ${code(usage)} | ${description} | ${own.map(({ long }) => code(long ?? '')).join(' ')} |`;
    });
    // A link leads from a command to its page.
    const listed = tableRows(page, '| Command |').map((row) =>
      row.replace(/\[(`.*?`)\]\(.*?\)/, '$1'),
    );
    expect(listed).toEqual(rows);
  });

  test('lists every setting with its flag, variable, default and description', () => {
    const rows = Object.values(settings).map((setting) => {
      const { flag, variable, default: fallback, description } = setting;
      return `| ${code(flag && flagName(flag))} | ${code(variable)} | ${code(fallback)} | ${description} |`;
    });
    expect(tableRows(page, '| Flag |')).toEqual(rows);
  });

  test('has the exit codes of the help', () => {
    let help = '';
    createProgram()
      .configureOutput({ writeOut: (text) => (help += text) })
      .outputHelp();
    const [exitCodes = 'none'] = /^Exit codes: .*$/m.exec(help) ?? [];
    expect(page).toContain(`\n${exitCodes}\n`);
  });
});

describe('the documents', () => {
  test('docs/errors.md lists every error code with its status and meaning', () => {
    const rows = Object.entries(errorMeanings).map(([code, meaning]) => {
      const httpStatus = errorHttpStatus[code as keyof typeof errorHttpStatus];
      return `| ${httpStatus} | \`${code}\` | ${meaning} |`;
    });
    expect(tableRows(readPage('docs/errors.md'), '| HTTP |')).toEqual(rows);
  });

  test('every link between the documents has a target, and its anchor a heading', () => {
    expect(pages.length).toBeGreaterThan(20);
    const find = (text: string, page: string) =>
      [...text.matchAll(/\]\((?!https?:)([^)#]*)#?([^)]*)\)/g)].flatMap(
        ([link, path = '', anchor]) => {
          const target = path === '' ? page : normalize(join(dirname(page), path));
          if (!existsSync(join(root, target))) return [link];
          return anchor && !anchorsOf(readPage(target)).includes(anchor) ? [link] : [];
        },
      );
    expect(findOnPages(find)).toEqual([]);
  });

  test('every page can be reached from README.md', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const [, path = ''] of readPage(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
        const target = normalize(join(dirname(page), path));
        if (pages.includes(target)) reached.add(target);
      }
    }
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });

  test('README.md has at most 150 lines, and its tour at most ten steps', () => {
    const text = readPage('README.md');
    expect(text.split('\n').length).toBeLessThanOrEqual(151);
    const steps = [...text.matchAll(/^\*\*(\d+)\. /gm)].map(([, number]) => Number(number));
    expect(steps).toEqual(steps.map((_, index) => index + 1));
    expect([steps.length > 0, steps.length <= 10]).toEqual([true, true]);
  });
});
