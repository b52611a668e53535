// Writes openapi-3.0.yaml from openapi.yaml, for tools that read no OpenAPI 3.1. The converter is not a dependency, because it
// brings an old TypeScript: npx gets it.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

const converter = '@apiture/openapi-down-convert@0.14.2';
const root = join(import.meta.dir, '..');

interface Converted {
  readonly info: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, ConvertedOperation>>>>;
}

interface ConvertedOperation {
  readonly requestBody?: { content: Readonly<Record<string, unknown>> };
}

export async function makeOlderDocument(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-openapi-'));
  try {
    const output = join(folder, 'openapi.yaml');
    const files = ['--input', join(root, 'openapi.yaml'), '--output', output];
    const child = Bun.spawn(['npx', '--yes', converter, ...files], {
      cwd: folder,
      stdout: 'ignore',
    });
    if ((await child.exited) !== 0) throw new Error(`${converter} failed`);
    return adapt(parse(await Bun.file(output).text()));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function adapt(document: Converted): string {
  // progenitor reads one media type of a body.
  for (const { requestBody } of Object.values(document.paths).flatMap((path) =>
    Object.values(path),
  )) {
    if (requestBody === undefined) continue;
    requestBody.content = { 'application/json': requestBody.content['application/json'] };
  }
  // OpenAPI 3.0 names a licence by its URL instead of its identifier.
  const license = { name: 'MIT', url: 'https://opensource.org/license/mit' };
  // As openapi.yaml, it is read by YAML 1.1 too.
  return stringify(
    { ...document, info: { ...document.info, license } },
    { version: '1.1', aliasDuplicateObjects: false, lineWidth: 110, blockQuote: 'literal' },
  );
}

if (import.meta.main) await Bun.write(join(root, 'openapi-3.0.yaml'), await makeOlderDocument());
