import { join } from 'node:path';
import { runIn } from '../support/run-in.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const page = await Bun.file(join(import.meta.dir, '../../docs/clients.md')).text();

/** A folder with the files that the commands of a recipe created, and a running server. */
export interface Recipe {
  readonly folder: string;
  /** The environment variables of the recipe. */
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Runs the commands below a heading, saves the program of the recipe, and checks it. `prepare` can put programs that a reader has
 * installed into the folder `bin`.
 */
export async function followRecipe(
  heading: string,
  check: (recipe: Recipe) => Promise<readonly string[]>,
  prepare?: (folder: string) => Promise<void>,
): Promise<readonly string[]> {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const blocks = [...(section.split('\n## ')[0] ?? '').matchAll(/```(\w+)\n(.*?)```/gs)];
  const blockOf = (language: string) => blocks.find(([, found]) => found === language)?.[2] ?? '';
  using folder = makeTemporaryFolder();
  await using server = await startServerProcess(`sqlite:${folder.path}/animals.db`);
  const document = await fetch(`${server.origin}/openapi.yaml`);
  const files = {
    'package.json': '{"private":true,"type":"module"}',
    'tsconfig.json': tsconfig,
    'openapi.yaml': await document.text(),
    'recipe.ts': blockOf('ts'),
    'recipe.py': blockOf('python'),
  };
  for (const [name, text] of Object.entries(files)) await Bun.write(`${folder.path}/${name}`, text);
  const environment = {
    URL: `${server.origin}/v1`,
    KEY: server.firstKey ?? '',
    PATH: `${folder.path}/bin:${process.env.PATH}`,
  };
  const recipe = { folder: folder.path, environment };
  try {
    await prepare?.(folder.path);
    await run(recipe, ['sh', '-ec', blockOf('sh')]);
    return (await check(recipe)).map((fault) => `${heading}: ${fault}`);
  } catch (error) {
    // A rejection would end the recipes that run at the same time.
    return [`${heading}: ${error}`];
  }
}

const tsconfig = JSON.stringify({
  include: ['recipe.ts'],
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2023',
    module: 'preserve',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
  },
});

/** Runs a command in the folder of a recipe. Returns its standard output. */
export async function run(
  { folder, environment }: Recipe,
  command: readonly string[],
): Promise<string> {
  const { exitCode, text } = await runIn(folder, command, environment);
  if (exitCode !== 0) throw new Error(`${command.at(-1)} ended with ${exitCode}: ${text}`);
  return text;
}

export async function addPet({ environment }: Recipe): Promise<void> {
  const headers = {
    authorization: `Bearer ${environment.KEY}`,
    'content-type': 'application/json',
  };
  const body = '{"name":"Rex","categoryId":9223372036854775807}';
  const response = await fetch(`${environment.URL}/pets`, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`A request for an animal got ${response.status}`);
}
