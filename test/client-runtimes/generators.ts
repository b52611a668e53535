import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LongTest, TestOptions, TestOutcome } from '../faults/long-test.ts';
import { runIn } from '../support/run-in.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { followRecipe, run } from './follow-recipe.ts';

const root = join(import.meta.dir, '../..');

export const generators: readonly LongTest[] = [
  {
    name: 'zod-generators',
    title: 'orval and openapi-zod-client',
    run: () => generate(['orval and openapi-zod-client compile'], forZod),
  },
  {
    name: 'openapi-generator',
    title: 'the recipe for openapi-generator in docs/clients.md',
    missing: () => needs('go', 'java', 'mvn'),
    async run(): Promise<TestOutcome> {
      const broken = await followRecipe('openapi-generator', compileGo, installOpenapiGenerator);
      return { figures: ['the Go client compiles'], broken };
    },
  },
  {
    name: 'go-generators',
    title: 'oapi-codegen and ogen',
    missing: () => needs('go'),
    run: () => generate(['oapi-codegen and ogen compile'], forGo),
  },
  {
    name: 'older-document',
    title: 'openapi-3.0.yaml',
    missing: () => needs('cargo'),
    run: checkOlderDocument,
  },
];

function needs(...programs: readonly string[]): string | undefined {
  const missing = programs.filter((program) => Bun.which(program) === null);
  return missing.length === 0 ? undefined : `needs ${missing.join(' and ')}`;
}

const forZod = `
npm install --silent --no-audit --no-fund --legacy-peer-deps orval@7.13.2 zod@4.1.12 openapi-zod-client@1.18.3 @zodios/core@10.9.6 \
  axios@1.12.2 typescript@5.9.3
npx orval --input openapi.yaml --output orval.ts --client zod
npx tsc --strict --noEmit --target es2023 --module preserve --skipLibCheck orval.ts
npm install --silent --no-audit --no-fund --legacy-peer-deps zod@3.25.76
npx openapi-zod-client openapi.yaml -o zodios.ts
npx tsc --strict --noEmit --target es2023 --module preserve --skipLibCheck zodios.ts
`;

const forGo = `
mkdir oapi ogen
go mod init example.org/store
GOBIN=$PWD/bin go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
GOBIN=$PWD/bin go install github.com/ogen-go/ogen/cmd/ogen@v1.24.0
bin/oapi-codegen -generate types,client -package oapi openapi.yaml >oapi/store.go
bin/ogen --target ogen --package ogen --clean openapi.yaml
go get github.com/ogen-go/ogen@v1.24.0
go mod tidy
go build ./...
`;

const forRust = `
cargo init --quiet --lib --vcs none --name store .
echo 'progenitor::generate_api!("openapi-3.0.yaml");' >src/lib.rs
cargo add --quiet progenitor@0.15.1 progenitor-client@0.15.1 serde_json@1 futures@0.3 bytes@1 regress@0.12
cargo add --quiet serde@1 --features derive
cargo add --quiet chrono@0.4 --features serde
cargo add --quiet reqwest@0.13 --no-default-features --features json,stream,query
cargo build --quiet
`;

/** Runs commands in a folder with both documents. */
async function generate(figures: readonly string[], script: string): Promise<TestOutcome> {
  using folder = makeTemporaryFolder();
  for (const name of ['openapi.yaml', 'openapi-3.0.yaml']) {
    copyFileSync(join(root, name), join(folder.path, name));
  }
  await Bun.write(join(folder.path, 'package.json'), '{"private":true,"type":"module"}');
  const { exitCode, text } = await runIn(folder.path, ['sh', '-ec', script]);
  return { figures, broken: exitCode === 0 ? [] : [text.trim()] };
}

async function installOpenapiGenerator(folder: string): Promise<void> {
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
  const artifact = 'org.openapitools:openapi-generator-cli:7.25.0';
  const bin = join(folder, 'bin');
  const options = [`-Dartifact=${artifact}`, `-DoutputDirectory=${bin}`];
  const { exitCode, text } = await runIn(folder, ['mvn', '-q', plugin, ...options]);
  if (exitCode !== 0) throw new Error(text);
  const program = join(bin, 'openapi-generator-cli');
  await Bun.write(
    program,
    `#!/bin/sh\nexec java -jar ${bin}/openapi-generator-cli-7.25.0.jar "$@"\n`,
  );
  chmodSync(program, 0o755);
}

async function compileGo(recipe: Parameters<typeof run>[0]): Promise<readonly string[]> {
  await run(recipe, ['sh', '-ec', 'cd client && go build ./...']);
  return [];
}

async function checkOlderDocument({ long }: TestOptions): Promise<TestOutcome> {
  const { makeOlderDocument } = await import('../../scripts/make-openapi-3.0.ts');
  const text = await Bun.file(join(root, 'openapi-3.0.yaml')).text();
  const broken =
    (await makeOlderDocument()) === text ? [] : ['openapi-3.0.yaml is old; run npm run openapi'];
  if (!long) return { figures: ['it is current'], broken };
  const compiled = await generate([], forRust);
  const figures = ['it is current, and the client of progenitor compiles'];
  return { figures, broken: [...broken, ...compiled.broken] };
}
