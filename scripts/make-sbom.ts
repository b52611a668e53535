import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

const lockSchema = z.looseObject({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      dev: z.boolean().optional(),
      devOptional: z.boolean().optional(),
      devDependencies: z.unknown().optional(),
    }),
  ),
});

const componentSchema = z.looseObject({ 'bom-ref': z.string(), name: z.string() });
type Component = z.infer<typeof componentSchema>;

const sbomSchema = z.looseObject({
  $schema: z.string(),
  bomFormat: z.string(),
  specVersion: z.string(),
  serialNumber: z.string(),
  version: z.number(),
  metadata: z.looseObject({ timestamp: z.string().optional(), component: componentSchema }),
  components: z.array(componentSchema),
});

/**
 * Returns what is in the executable as CycloneDX, by `npm sbom`. The same packages and version of npm give the same text: the serial
 * number is a digest of it, and it has a time only if SOURCE_DATE_EPOCH sets one.
 * https://reproducible-builds.org/specs/source-date-epoch/
 */
export async function makeSbom(root: string): Promise<string> {
  const { metadata, components, ...rest } = sbomSchema.parse(await runNpm(root));
  const { timestamp: _, ...others } = metadata;
  const seconds = process.env.SOURCE_DATE_EPOCH;
  const time = seconds === undefined ? {} : { timestamp: new Date(Number(seconds) * 1000) };
  const sbom = {
    ...rest,
    serialNumber: '',
    metadata: { ...time, ...others, component: withPackageName(metadata.component) },
    components: components.map(withPackageName),
  };
  const id = Bun.randomUUIDv5(JSON.stringify(sbom), 'url');
  return `${JSON.stringify({ ...sbom, serialNumber: `urn:uuid:${id}` }, null, 2)}\n`;
}

/** `npm sbom --omit dev` leaves out packages that tests use too, so npm gets a lock file without the packages for tests. */
async function runNpm(root: string): Promise<unknown> {
  const read = (name: string) => Bun.file(join(root, name)).json();
  const lock = lockSchema.parse(await read('package-lock.json'));
  const packages = Object.entries(lock.packages)
    .filter(([path, { dev, devOptional }]) => !dev && !devOptional && existsSync(join(root, path)))
    .map(([path, { devDependencies: _, ...entry }]) => [path, entry]);
  const { devDependencies: _, ...manifest } = await read('package.json');
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-sbom-'));
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  try {
    write('package.json', manifest);
    write('package-lock.json', { ...lock, packages: Object.fromEntries(packages) });
    const command = 'npm sbom --package-lock-only --sbom-format cyclonedx --sbom-type application';
    const { success, stdout, stderr } = Bun.spawnSync(command.split(' '), { cwd: folder });
    if (!success) throw new Error(`npm sbom failed: ${stderr}${stdout}`);
    return JSON.parse(stdout.toString());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** npm names the packages of this repository by their folders. */
function withPackageName(component: Component): Component {
  return { ...component, name: component['bom-ref'].replace(/@[^@]*$/, '') };
}
