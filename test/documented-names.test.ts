import { describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import clientPackage from '../client/package.json' with { type: 'json' };
import packageJson from '../package.json' with { type: 'json' };
import { programCommands } from '../scripts/generate-docs.ts';
import { errorHttpStatus } from '../src/http/failure.ts';
import { settings } from '../src/ops/config.ts';
import { metricMeanings } from '../src/ops/metrics.ts';
import { anchorsOf, codeSpans, pages, readPage, shellCommands } from './support/documents.ts';
import { openTestApp } from './support/test-app.ts';

const root = join(import.meta.dir, '..');
const commands = programCommands();

/** Files beside the pages that start the program. */
const deployFiles = [
  ...new Bun.Glob('docs/deploy/*.{service,conf,cfg}').scanSync(root),
  'Containerfile',
];

/** Reports what a search finds on each page, after its name. */
function findOnPages(find: (text: string, page: string) => readonly string[]): string[] {
  return pages.flatMap((page) => find(readPage(page), page).map((fault) => `${page}: ${fault}`));
}

function sourceTexts(...globs: string[]): Promise<string[]> {
  const files = globs.flatMap((glob) => [...new Bun.Glob(glob).scanSync(root)]);
  return Promise.all(files.map((file) => Bun.file(join(root, file)).text()));
}

describe('the documents name only', () => {
  const firstWords = new Set(commands.map(({ name }) => name.split(' ')[0]));

  /** The commands of the program in a text, such as `keys create --name ada`. */
  function invocationsIn(text: string): string[] {
    const end = '[^|;&)#>\n]*';
    const named = new RegExp(
      `\\banimal-store(?::[\\d.]+)?(?: --)? (?!animal-store)([a-z]${end})`,
      'g',
    );
    const started = new RegExp(`\\bnpm start -- (${end})`, 'g');
    return [
      ...[...text.matchAll(named)].map(([, words = '']) => words),
      ...[...text.matchAll(started)].map(([, flags = '']) => `serve ${flags}`),
    ];
  }

  function flagsIn(text: string): string[] {
    return text.match(/(?<![\w-])--[a-z][\w-]*/g) ?? [];
  }

  /** Says what the program does not know of `keys create --name ada`. */
  function findFaults(words: string): string[] {
    const [first = '', second = ''] = words.split(' ');
    const command =
      commands.find(({ name }) => name === `${first} ${second}`) ??
      commands.find(({ name }) => name === first);
    if (command === undefined) return [`${words} is no command`];
    return flagsIn(words)
      .filter((flag) => flag !== '--help')
      .filter((flag) => !command.options.some(({ long }) => long === flag))
      .map((flag) => `${command.name} has no ${flag}`);
  }

  test('commands of the program, with their own options, also in the files of docs/deploy', () => {
    let count = 0;
    const find = (text: string) => {
      const spans = codeSpans(text);
      // `keys` is a group of commands, and `keys list` a command.
      const short = spans.filter(
        (span) => / |^demo$/.test(span) && firstWords.has(span.split(' ')[0]),
      );
      const found = [...short, ...[...spans, ...shellCommands(text)].flatMap(invocationsIn)];
      count += found.length;
      return found.flatMap(findFaults);
    };
    expect(findOnPages(find)).toEqual([]);
    expect(count).toBeGreaterThan(80);
    const started = deployFiles.flatMap((file) => invocationsIn(readPage(file)));
    expect(started.length).toBeGreaterThan(1);
    expect(started.flatMap(findFaults)).toEqual([]);
  });

  test('flags of the program, of its scripts, or of another program that the line names', async () => {
    const others =
      /^(?:\$ )?(?:buildah|curl|docker|git|initdb|npm|openapi-generator-cli|pg_\w+|podman|promtool|systemctl|systemd-analyze|useradd|venv\/bin\/schemathesis) /;
    const scripts = await sourceTexts('bench/*.ts', 'test/*/*.ts');
    const flags = new Set([
      ...commands.flatMap(({ options }) => options.flatMap(({ long }) => long ?? [])),
      ...scripts.flatMap((text) =>
        [...text.matchAll(/'(--[a-z-]+)[ ']/g)].map(([, flag = '']) => flag),
      ),
      '--help',
      '--version',
      // A flag of Bun.
      '--smol',
    ]);
    const find = (text: string) =>
      [...codeSpans(text), ...shellCommands(text)]
        .filter((code) => !others.test(code))
        .flatMap(flagsIn)
        .filter((flag) => !flags.has(flag));
    expect(findOnPages(find)).toEqual([]);
  });

  test('scripts of package.json', () => {
    const scripts = Object.keys(packageJson.scripts);
    const find = (text: string) =>
      [...codeSpans(text), ...shellCommands(text)]
        .flatMap((code) => [...code.matchAll(/\bnpm (?:run (?:-s )?([\w:-]+)|(start|test)\b)/g)])
        .flatMap(([, name, short]) => name ?? short ?? [])
        .filter((name) => !scripts.includes(name));
    expect(findOnPages(find)).toEqual([]);
  });

  test('environment variables of the program, also in the files of docs/deploy', () => {
    const variables = new Set(Object.values(settings).map(({ variable }) => variable));
    const find = (text: string) =>
      (text.match(/\bANIMAL_STORE_\w+/g) ?? []).filter((name) => !variables.has(name));
    expect(findOnPages(find)).toEqual([]);
    expect(deployFiles.flatMap((file) => find(readPage(file)))).toEqual([]);
  });

  test('metrics of the program', () => {
    const metrics = Object.values(metricMeanings).flatMap(Object.keys);
    const find = (text: string) =>
      [...codeSpans(text), ...shellCommands(text)]
        .flatMap((code) => code.match(/(?<!\$)\b(?:animal_store|process)_[a-z_]+\b/g) ?? [])
        .filter((name) => !metrics.includes(name.replace(/_(?:count|sum|bucket)$/, '')));
    expect(findOnPages(find)).toEqual([]);
  });

  test('error codes with their HTTP status', () => {
    const statuses: Readonly<Record<string, number>> = errorHttpStatus;
    let count = 0;
    const find = (text: string) =>
      [...text.matchAll(/\b([45]\d\d) `([a-z_]+)`/g)].flatMap(([pair, status, code = '']) => {
        count += 1;
        return statuses[code] === Number(status) ? [] : [pair];
      });
    expect(findOnPages(find)).toEqual([]);
    expect(count).toBeGreaterThan(20);
  });

  test('paths and query parameters of the service', async () => {
    await using app = await openTestApp();
    const requests = pages.flatMap((page) =>
      requestsOn(readPage(page)).map((request) => ({ page, ...request })),
    );
    const wrong: string[] = [];
    for (const { page, method, path } of requests) {
      // In strict handling, the service rejects query parameters that it does not know.
      const headers = { prefer: 'handling=strict' };
      const response = await app.send(path, { method, headers });
      if (response.ok) {
        await response.body?.cancel();
        continue;
      }
      const { code } = JSON.parse(await response.text());
      if (/^(?:route_not_found|method_not_allowed|unknown_field)$/.test(code)) {
        wrong.push(`${page}: ${method} ${path} gets ${code}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(requests.length).toBeGreaterThan(60);
  });

  test('members, codes and functions that are in the sources', async () => {
    const sources = await sourceTexts(
      'src/**/*.{ts,sql}',
      'console/src/**/*.{ts,tsx}',
      'client/src/*.ts',
    );
    const known = new Set(sources.flatMap((text) => text.match(/\w+/g) ?? []));
    const find = (text: string) =>
      codeSpans(text)
        .filter((code) => /^(?!animal_store_)[a-z]+(?:_[a-z]+|[A-Z][a-z]+)+$/.test(code))
        .filter((name) => !known.has(name) && !namesOfOthers.includes(name));
    expect(findOnPages(find)).toEqual([]);
  });

  test('messages and members of the log that are in the sources', async () => {
    const sources = (await sourceTexts('src/**/*.ts')).join('\n');
    const [, section = ''] = readPage('docs/monitoring.md').split(/^## The log$/m);
    const names = codeSpans(section)
      .filter((code) => !/^(?:--|animal_store_)/.test(code))
      .flatMap((code) => code.match(/[a-z][a-z-]*(?: [a-z-]+)+|[a-z]\w+/gi) ?? []);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !sources.includes(name))).toEqual([]);
  });

  test('the versions of this program and its client as packages to install', () => {
    const find = (text: string) =>
      [...text.matchAll(/animal-store(-client)?-(\d+\.\d+\.\d+)\.tgz/g)]
        .filter(([, client, version]) => version !== (client ? clientPackage : packageJson).version)
        .map(([file]) => file);
    expect([...find(readPage('README.md')), ...find(readPage('client/README.md'))]).toEqual([]);
  });
});

/** Names of PostgreSQL, Kubernetes, Postman and other clients. */
const namesOfOthers =
  'ignore_startup_parameters default_pool_size synchronous_mode listen_addresses remote_write synchronous_standby_names pg_basebackup terminationGracePeriodSeconds bearerToken lastResponse'.split(
    ' ',
  );

/** Folders of machines, and prefixes of paths of the service. */
const notRequested =
  /^\/(?:(?:backup|data|dev|etc|proc|shop)(?:\/|$)|v1$|console\/v1$|metrics$|v1\\)/;

/** What a page requests: as `GET /pets`, as a path alone, and with curl. */
function requestsOn(text: string): { method: string; path: string }[] {
  const spans = codeSpans(text).flatMap((code) => {
    const [, method = 'GET', path = ''] = /^(?:([A-Z]+) )?(\/\S*)$/.exec(code) ?? [];
    return path === '' || notRequested.test(path) ? [] : [{ method, path }];
  });
  const calls = shellCommands(text).flatMap((line) => {
    const [, url = ''] =
      /\bcurl .*?(?:https?:\/\/[\w.:]+|\$(?=URL))(\S*?)(?=["' ]|$)/.exec(line) ?? [];
    const method = /-X ([A-Z]+)/.exec(line)?.[1] ?? (/ -d /.test(line) ? 'POST' : 'GET');
    return url === '' || url === 'URL' ? [] : [{ method, path: url.replace(/^URL/, '/v1') }];
  });
  return [...spans, ...calls].map(({ method, path }) => ({
    method,
    path: path
      .replaceAll(/\{\w+\}/g, '1')
      .replaceAll(/\bwait=\d+/g, 'wait=0')
      .replace(/^\/(?=pets|store|categories|events)/, '/v1/'),
  }));
}

describe('the documents', () => {
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
