import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { schemaVersion, writerVersion } from '../../src/storage/schema/prepare-schema.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** A copy of this program with a newer schema, as the next version may have. */
export interface NewerProgram extends Disposable {
  /** Its command line. */
  readonly command: readonly string[];
  readonly version: string;
  readonly schemaVersion: number;
}

const root = join(import.meta.dir, '../..');

/**
 * The sources with an additional migration, which writes to every large table. With `isForWriters`, it changes what
 * a write must maintain.
 */
export function makeNewerProgram(isForWriters = false): NewerProgram {
  const folder = makeTemporaryFolder();
  for (const path of ['src', 'client/src', 'console/src', 'LICENSE', 'THIRD-PARTY-LICENSES.txt']) {
    cpSync(join(root, path), join(folder.path, path), { recursive: true });
  }
  const version = packageJson.version.replace(
    /\.(\d+)\..*/,
    (_all, minor) => `.${Number(minor) + 1}.0`,
  );
  writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ ...packageJson, version }));
  symlinkSync(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  const schema = join(folder.path, 'src/storage/schema');
  const script = `
    ALTER TABLE workspaces ADD COLUMN color TEXT;
    UPDATE workspaces SET color = 'green';
    CREATE INDEX pets_by_name ON pets (workspace_id, name)`;
  writeFileSync(
    join(schema, 'next.ts'),
    `const script = ${JSON.stringify(script)};
    export const next = { writerVersion: ${writerVersion + Number(isForWriters)}, sqlite: script, postgres: script };`,
  );
  const migrations = readFileSync(join(schema, 'migrations.ts'), 'utf8');
  const changed = migrations.replace(
    /(export const migrations: readonly Migration\[\] = \[)([^\]]*?),?\s*\]/,
    "import { next } from './next.ts';\n$1$2, next]",
  );
  if (changed === migrations) throw new Error('The list of migrations was not found');
  writeFileSync(join(schema, 'migrations.ts'), changed);
  return {
    command: [process.execPath, join(folder.path, 'src/main.ts')],
    version,
    schemaVersion: schemaVersion + 1,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
