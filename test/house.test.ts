import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { makeConsoleContract } from '../scripts/generate-contracts.ts';
import { generatedPages, generatePage } from '../scripts/generate-docs.ts';
import { publishedDocument } from '../src/cli/openapi.ts';
import { tableNames } from '../src/storage/schema/tables.ts';
import { clientTests } from './client-runtimes/client-tests.ts';
import { faults } from './faults/faults.ts';
import { readResults } from './faults/results.ts';
import { hostileTests } from './hostile/hostile-tests.ts';
import promiseList from './promises.json' with { type: 'json' };
import { isCopiedToBuild } from './support/containerfile.ts';
import { pages } from './support/documents.ts';
import { functionsOf } from './support/source-functions.ts';
import { tableRows } from './support/table-rows.ts';

const root = join(import.meta.dir, '..');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

const scan = (glob: string) => [...new Bun.Glob(glob).scanSync(root)];

const sourceFiles = [...scan('src/**/*.{ts,tsx}'), ...scan('console/src/**/*.{ts,tsx}')]
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .sort();

/** All tests except this one, which lists the words that it refuses. */
const tests = [...new Bun.Glob('{test,src}/**/*.{ts,mjs}').scanSync(root)].filter(
  (file) => /^test\/|\.test\.ts$/.test(file) && file !== 'test/house.test.ts',
);

describe('the house', () => {
  /** The rooms from which each room may import. ARCHITECTURE.md has the reasons. */
  const arrows: Readonly<Record<string, string>> = {
    'main.ts': 'cli terminal',
    cli: 'cli server terminal http webhooks sqlite postgres ops storage client context contract domain',
    server: 'server terminal http webhooks ops context contract domain',
    http: 'http context contract domain',
    webhooks: 'webhooks context contract domain',
    sqlite: 'sqlite storage context contract domain',
    postgres: 'postgres storage context contract domain',
    storage: 'storage context contract domain',
    terminal: 'terminal ops context contract domain',
    ops: 'ops context contract domain',
    context: 'context contract domain',
    // What others know of storage.
    contract: 'contract domain',
    domain: 'domain',
    // It runs in browsers, and calls the service as every client does.
    console: 'console client domain',
  };

  /** Files that are sent to browsers, after the file that reads each. */
  const servedToBrowsers = [
    'src/http/console/bundle.ts console/src/main.tsx',
    'src/http/console/bundle.ts console/src/workbook/worker.ts',
    'src/http/console/bundle.ts console/src/start.ts',
    'src/http/console/bundle.ts console/src/parts/combobox/compat.ts',
    ...[...new Bun.Glob('console/src/style/*.css').scanSync(root)].map(
      (file) => `src/http/pages/style.ts ${file}`,
    ),
  ];

  /** Every module that a file imports, by `import`, `export … from`, `import()` or `new URL(…, import.meta.url)`. */
  function importsOf(text: string): string[] {
    const patterns = [
      /(?:\bfrom\s+|\bimport\s*\(?\s*)(['"])(?<module>[\w@./:-]+)\1/g,
      /\bnew URL\(\s*(['"])(?<module>[^'"]+)\1,\s*import\.meta/g,
    ];
    return patterns.flatMap((pattern) =>
      [...text.matchAll(pattern)].map((match) => match.groups?.module ?? ''),
    );
  }

  /** The modules that a file imports: files by their paths, packages by their names. */
  function targetsOf(file: string): string[] {
    return importsOf(read(file)).map((module) =>
      module.startsWith('.') ? normalize(join(dirname(file), module)) : module,
    );
  }

  function roomOf(path: string): string {
    const [folder, room = '', part] = path.split('/');
    if (part === 'contract') return part;
    return folder === 'client' || folder === 'console' ? folder : room;
  }

  test('imports run downwards only: main, cli, server, then http, webhooks, terminal and the engines, then storage and ops, then the contract of storage, then domain', () => {
    const wrong = sourceFiles.flatMap((file) =>
      targetsOf(file)
        .filter((target) => /^(?:src|client|console)\//.test(target))
        .filter((target) => !servedToBrowsers.includes(`${file} ${target}`))
        .filter((target) => !arrows[roomOf(file)]?.split(' ').includes(roomOf(target)))
        .map((target) => `${file} must not import ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test('a folder of http imports only the root of http, and the folders of http that come earlier', () => {
    const order = 'request access feed answer operations openapi pages console'.split(' ');
    const rankOf = (path: string) => order.indexOf(/^src\/http\/(\w+)\//.exec(path)?.[1] ?? '');
    const wrong = sourceFiles
      .filter((file) => /^src\/http\/\w+\//.test(file))
      .flatMap((file) =>
        targetsOf(file)
          .filter((target) => rankOf(target) > rankOf(file))
          .map((target) => `${file} must not import ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test('the console imports only the domain, the client, preact, the query cache, comboboxes, for workbooks their libraries, and the parts of itself that come earlier', () => {
    const order =
      'contract.ts workspace-path.ts route.ts texts files api lists loading parts tables workbook categories history orders animals import animal events keys webhooks session frame app.tsx main.tsx start.ts'.split(
        ' ',
      );
    const rankOf = (path: string) => order.indexOf(path.split('/')[2] ?? '');
    const allowed =
      /^(?:src\/domain\/|client\/src\/|@?preact(?:\/|$)|@tanstack\/query-core$|@zag-js\/(?:combobox|preact)$)/;
    const allowedForWorkbooks = /^(?:fflate|saxen|numfmt)$/;
    const isAllowed = (target: string, file: string) =>
      allowed.test(target) ||
      (file.startsWith('console/src/workbook/') && allowedForWorkbooks.test(target));
    const isEarlier = (target: string, file: string) =>
      target.startsWith('console/src/') && rankOf(target) <= rankOf(file);
    const wrong = sourceFiles
      .filter((file) => roomOf(file) === 'console')
      .flatMap((file) =>
        targetsOf(file)
          .filter((target) => !isEarlier(target, file))
          .filter((target) => !isAllowed(target, file))
          .map((target) => `${file} must not import ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  test('work rests, repeats and ends by src/context alone, so that every wait has an end', () => {
    const uses = sourceFiles
      .filter((file) => !['console', 'context'].includes(roomOf(file)))
      .filter((file) =>
        /\b(?:setTimeout|setInterval|setImmediate|sleep(?:Sync)?)\(|AbortSignal\.timeout/.test(
          read(file),
        ),
      );
    expect(uses).toEqual([]);
  });

  test('a comment says what is lost where an error is ignored', () => {
    const ignored = /\bcatch(?: \(\w+\))? \{\s*\}|\.catch\(\(\) => (?:\{\}|undefined)\)/;
    const wrong = [...sourceFiles, ...new Bun.Glob('client/src/*.ts').scanSync(root)]
      .filter((file) => roomOf(file) !== 'console')
      .flatMap((file) => {
        const lines = read(file).split('\n');
        return lines.flatMap((line, index) =>
          ignored.test(line) &&
          !lines.slice(Math.max(0, index - 3), index + 1).some((each) => /\/\/ |\*\/$/.test(each))
            ? [`${file}:${index + 1}`]
            : [],
        );
      });
    expect(wrong).toEqual([]);
  });

  test('only listen, a client of a server, imports the client into the program', () => {
    const users = sourceFiles
      .filter((file) => roomOf(file) !== 'console')
      .filter((file) => targetsOf(file).some((target) => roomOf(target) === 'client'));
    expect(users.length).toBeGreaterThan(0);
    expect(users.filter((file) => !file.startsWith('src/cli/listen/'))).toEqual([]);
  });

  test('the client imports only itself', () => {
    const files = [...new Bun.Glob('client/src/*.ts').scanSync(root)];
    const modules = files.flatMap((file) => importsOf(read(file)));
    expect(modules.filter((module) => !module.startsWith('./'))).toEqual([]);
  });

  test('every text of the console is in console/src/texts', () => {
    const texts = [
      // Text between tags, which the transpiler puts into "children", alone or in a list.
      /\bchildren: (["'`])(?:(?!\1).)*[A-Za-z](?:(?!\1).)*\1/g,
      /^\s+"(?:[^"\\]|\\.)*[A-Za-z](?:[^"\\]|\\.)*",?$/gm,
      /"?\b(?:aria-label|title|placeholder|alt|label|hint|caption)"?: (["'`])(?:(?!\1).)*[A-Za-z].*/g,
      // Sentences anywhere else.
      /(["'`])[A-Z][a-z]+ (?:(?!\1).)*\1|(["'`])(?:(?!\2).)*[A-Z ](?:(?!\2).)*[a-z][.…?!]\2/g,
    ];
    const transpiler = new Bun.Transpiler({ loader: 'tsx' });
    const wrong = sourceFiles
      .filter((file) => /^console\/src\/(?!texts\/|contract\.ts)/.test(file))
      .flatMap((file) => {
        const code = transpiler.transformSync(read(file)).replace(/^import .*$/gm, '');
        return texts
          .flatMap((pattern) => [...code.matchAll(pattern)])
          .map(([text]) => `${file} must not have ${text.trim()}`);
      });
    expect(wrong).toEqual([]);
  });

  test('the domain uses no runtime, clock or randomness', () => {
    const forbidden =
      /\bBun\.|\bprocess\.|\bDate\.now\(|\bnew Date\(\)|\bperformance\.|\bMath\.random\(|\bcrypto\./;
    const wrong = sourceFiles
      .filter((file) => roomOf(file) === 'domain')
      .flatMap((file) => [
        ...importsOf(read(file))
          .filter((module) => !module.startsWith('.'))
          .map((module) => `${file} must not import ${module}`),
        ...(forbidden.test(read(file)) ? [`${file} must get this value from its caller`] : []),
      ]);
    expect(wrong).toEqual([]);
  });

  test('every package that the sources import is declared in package.json', () => {
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: object };
    const packages = sourceFiles.flatMap((file) =>
      importsOf(read(file))
        .filter((module) => !/^(?:\.|node:|bun:)/.test(module))
        .map((module) => /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? ''),
    );
    const undeclared = new Set(packages).difference(new Set(Object.keys(dependencies)));
    expect([...undeclared]).toEqual([]);
  });

  test('only cli/open-database.ts imports the engines', () => {
    const users = sourceFiles
      .filter((file) => roomOf(file) === 'cli')
      .filter((file) => /\.\.\/(?:sqlite|postgres)\//.test(read(file)));
    expect(users).toEqual(['src/cli/open-database.ts']);
  });

  test('list commands open a reader, and start no writer', () => {
    const readers = sourceFiles.filter((file) => /\bopenReader\(/.test(read(file)));
    const both = readers.filter((file) =>
      /\bopen(?:Existing)?Database(?:With)?\(/.test(read(file)),
    );
    expect([readers, both]).toEqual([
      ['src/cli/list-command.ts', 'src/cli/open-database.ts'],
      ['src/cli/open-database.ts'],
    ]);
    const listing = sourceFiles.filter((file) => /\baddListAction\(command/.test(read(file)));
    expect(listing).toEqual([
      'src/cli/audit.ts',
      'src/cli/deprecated-calls.ts',
      'src/cli/events.ts',
      'src/cli/keys.ts',
      'src/cli/sessions.ts',
      'src/cli/webhooks.ts',
      'src/cli/workspaces.ts',
    ]);
  });

  test('the container gets every file that the build of the executable reads', () => {
    const files = new Set([
      'package.json',
      'package-lock.json',
      'scripts/build.ts',
      'src/main.ts',
      'src/sqlite/writer/thread.ts',
      'console/src/main.tsx',
      'console/src/workbook/worker.ts',
      'console/src/start.ts',
    ]);
    for (const file of files) {
      if (!/\.tsx?$/.test(file)) continue;
      for (const module of importsOf(read(file))) {
        if (module.startsWith('.')) files.add(normalize(join(dirname(file), module)));
      }
    }
    expect(files).toContain('client/src/transport.ts');
    expect(files).toContain('console/src/style/base.css');
    expect([...files].filter((file) => !isCopiedToBuild(file))).toEqual([]);
  });

  /** The files and packages that a file loads, without types and without what `import()` loads later. */
  function loadedBy(entry: string) {
    const files = new Set([entry]);
    const packages = new Set<string>();
    const transpiler = new Bun.Transpiler({ loader: 'ts' });
    for (const file of files) {
      if (!file.endsWith('.ts')) continue;
      for (const { kind, path } of transpiler.scanImports(read(file))) {
        if (kind !== 'import-statement') continue;
        if (path.startsWith('.')) files.add(normalize(join(dirname(file), path)));
        else if (!/^(?:node|bun):/.test(path)) packages.add(path);
      }
    }
    expect(files.size).toBeGreaterThan(20);
    return { files, packages: [...packages] };
  }

  // The package that validates input would take four megabytes of memory there.
  test('the writer thread loads no package, and neither does its verification', () => {
    expect(loadedBy('src/sqlite/writer/thread.ts').packages).toEqual([]);
    expect(loadedBy('src/sqlite/verify.ts').packages).toEqual([]);
  });

  // The server and its packages would take two thirds of the time in which most commands end.
  test('a command starts with one package, and loads others when it uses them', () => {
    const { files, packages } = loadedBy('src/main.ts');
    expect(packages).toEqual(['commander']);
    expect(
      [...files].filter((file) => /^(?:src\/(?:sqlite|postgres)|console)\//.test(file)),
    ).toEqual([]);
  });

  // Commands, reads and tables are the same for both engines. An engine only runs statements.
  test('no engine names a table of records', () => {
    const records = tableNames.filter((name) => name !== 'meta' && name !== 'workspaces');
    const wrong = sourceFiles
      .filter((file) => ['sqlite', 'postgres'].includes(roomOf(file)))
      .flatMap((file) =>
        records
          .filter((name) => new RegExp(`(?:FROM|INTO|UPDATE) ${name}\\b`).test(read(file)))
          .map((name) => `${file} must not name ${name}`),
      );
    expect(wrong).toEqual([]);
  });

  const allSources = [...sourceFiles, ...new Bun.Glob('client/src/*.ts').scanSync(root)];
  const isGenerated = (file: string) => file.endsWith('/contract.ts');

  test('no source file has more than 300 lines, and no folder more than 20 beside their tests', () => {
    const files = [...scan('src/**/*'), ...scan('console/src/**/*')].filter(
      (file) => !isGenerated(file),
    );
    const long = files.filter((file) => read(file).split('\n').length > 301);
    const folders = Map.groupBy(
      files.filter((file) => !/\.test\.tsx?$/.test(file)),
      (file) => dirname(file),
    );
    const full = [...folders].filter(([, names]) => names.length > 20).map(([folder]) => folder);
    expect([...long, ...full]).toEqual([]);
  });

  // Inner functions count too, because readers of the outer one read them.
  test('no function has more than 70 lines, or 130 if it contains markup', () => {
    const all = allSources.flatMap((file) =>
      functionsOf(read(file)).map((found) => ({ file, ...found })),
    );
    expect(all.length).toBeGreaterThan(1000);
    const long = all.filter(({ lineCount, hasMarkup }) => lineCount > (hasMarkup ? 130 : 70));
    expect(long.map(({ file, line, lineCount }) => `${file}:${line} has ${lineCount}`)).toEqual([]);
  });

  // A reader who learned English from API references must not have to read a sentence twice.
  test('sources, tests and documents use plain words', () => {
    const riddles =
      /\b(?:whoever|nobody|somebody|anew|meanwhile|go(?:es|ing)? on|went on|(?:is|are) told|tells? of|hears? of|h(?:o|e)lds? up|mend(?:s|ed|ing)?)\b/gi;
    const others = [
      'src/**/*.{js,css,sql}',
      'console/src/**/*.css',
      '{bench,bench/servers,scripts}/*.ts',
      'bench/peers/*.{ts,mjs}',
      'docs/{deploy,monitoring}/*',
      '{Containerfile,*.yaml,.spectral.yaml}',
    ].flatMap((glob) => [...new Bun.Glob(glob).scanSync({ cwd: root, dot: true })]);
    const files = [...allSources, ...others, ...tests, ...pages];
    const found = files.flatMap((file) =>
      [...read(file).matchAll(riddles)].map(([word]) => `${file} says "${word}"`),
    );
    expect(found).toEqual([]);
  });

  test('only http/server.ts starts an HTTP server', () => {
    const users = sourceFiles.filter((file) => read(file).includes('Bun.serve'));
    expect(users).toEqual(['src/http/server.ts']);
  });
});

/** The tests of `npm run test:faults`, `test:hostile` and `test:client`, which `--only` names. */
const longTests = { faults, hostile: hostileTests, client: clientTests };

/** A promise of the service, with the files of its tests, and what `--only` of longer commands names. */
interface PromiseWithTests
  extends Partial<Record<'tests' | 'bench' | keyof typeof longTests, readonly string[]>> {
  readonly promise: string;
  /** Of the last runs. Those of faults are in `test/faults/results.json`. */
  readonly figures?: string;
}

const promises: readonly PromiseWithTests[] = promiseList;

describe('the documents', () => {
  test('openapi.yaml is generated from the operations; npm run openapi writes it', async () => {
    expect(read('openapi.yaml')).toBe(await publishedDocument());
  });

  test('console/src/contract.ts is generated from the operations of the console; npm run openapi writes it', () => {
    expect(read('console/src/contract.ts')).toBe(makeConsoleContract());
  });

  test.each(generatedPages)(
    'docs/%s is generated from the sources; npm run docs writes it',
    (name) => {
      expect(read(`docs/${name}`)).toBe(generatePage(name));
    },
  );

  test('each promise has a test that an npm command runs, and each long test a promise', () => {
    const named = Object.values(packageJson.scripts).flatMap((script) =>
      script.split(' ').map(normalize),
    );
    const isRun = (file: string) =>
      existsSync(join(root, file)) &&
      (/\.(?:test|spec)\.tsx?$/.test(file) || named.some((word) => new Bun.Glob(word).match(file)));
    const benchText = read('bench/main.ts');
    const unproved = promises.flatMap(({ promise, tests = [], bench = [], ...others }) => {
      const { faults = [], hostile = [], client = [] } = others;
      const missing = [
        ...tests.filter((file) => !isRun(file)),
        ...bench.filter((name) => !benchText.includes(`\n  ${name}: {`)),
      ];
      const isProved = [tests, bench, faults, hostile, client].some((names) => names.length > 0);
      return missing.length > 0 || !isProved ? [`${promise} ${missing}`] : [];
    });
    expect(unproved).toEqual([]);
    for (const command of ['faults', 'hostile', 'client'] as const) {
      const proving = promises.flatMap((promise) => promise[command] ?? []);
      expect(proving.sort()).toEqual(longTests[command].map(({ name }) => name).sort());
    }
  });

  test('docs/promises.md quotes the last figures of each fault that it names', () => {
    const text = read('docs/promises.md').replaceAll(/\s+/g, ' ');
    const quotes = [...text.matchAll(/test:faults -- --only ([\w-]+)[^`]*`: (.*?)\.(?: |$)/g)];
    expect(quotes.length).toBeGreaterThan(5);
    const results = readResults();
    const wrong = quotes.filter(
      ([, name = '', quote = '']) => !results[name]?.figures.join('; ').includes(quote),
    );
    expect(wrong.map(([found]) => found)).toEqual([]);
  });

  test('docs/benchmarks.md quotes ten figures of the last complete run', () => {
    const results = read('bench/results.json');
    const rows = [...read('docs/benchmarks.md').matchAll(/^\| \d+\. [^|]*\|(.*)\|$/gm)];
    expect(rows.length).toBe(10);
    const figures = rows.flatMap(([, cells = '']) => cells.split('|').map((cell) => cell.trim()));
    expect(figures.filter((figure) => !results.includes(`"${figure}"`))).toEqual([]);
  });

  test('documents name existing files, and each name of the glossary is in its file', () => {
    const paths = pages
      .filter((file) => file !== 'CHANGELOG.md')
      .flatMap((file) => [
        ...read(file).matchAll(/`((?:src|test|bench|scripts|client\/src)\/[\w./-]+)`/g),
      ])
      .map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    const rows = tableRows(read('docs/glossary.md'), '| Concept |').map((row) => row.split(' | '));
    expect(rows.length).toBeGreaterThan(20);
    const missing = rows.flatMap(([, names = '', file = '']) =>
      [...names.matchAll(/`([^`]+)`/g)]
        .map(([, name = '']) => name)
        .filter((name) => !read(file.replaceAll(/[`| ]/g, '')).includes(name)),
    );
    expect(missing).toEqual([]);
  });
});
