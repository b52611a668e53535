import { existsSync, readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { DatabaseUnusable } from '../../domain/database/database-error.ts';
import type { StoredSummary, Verification } from '../../domain/database/verification.ts';
import { schemaVersion } from '../../storage/schema/migrate.ts';
import { toOperatorError } from '../errors.ts';
import { verifyInThread } from '../verify-in-thread.ts';

/** The description of a backup, in `FILE.json` beside it. */
export interface BackupManifest extends StoredSummary {
  readonly madeAt: string;
  readonly schemaVersion: number;
  readonly bytes: number;
  /** The digest of the file, in hexadecimal. */
  readonly sha256: string;
  /** When the first workspace of the data was created, which identifies a database. */
  readonly dataCreatedAt?: string | undefined;
  /** Made with `--folder`: `--keep` may remove it. */
  readonly madeInFolder?: boolean | undefined;
}

const manifestSchema = z.object({
  madeAt: z.string(),
  schemaVersion: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  dataCreatedAt: z.string().optional(),
  madeInFolder: z.boolean().optional(),
  animals: z.int(),
  workspaces: z.array(z.object({ name: z.string(), animals: z.int(), nextId: z.int() })),
  apiKeys: z.int(),
  audit: z.object({ count: z.int(), digest: z.string() }),
});

export function isManifest(path: string): boolean {
  try {
    return parseManifest(readFileSync(path, 'utf8')) !== undefined;
  } catch {
    return false;
  }
}

/** Returns undefined if the text is not a manifest. */
export function parseManifest(text: string): BackupManifest | undefined {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Reads the manifest of a backup, and checks that the file matches it.
 * @throws DatabaseUnusable with one line for the operator.
 */
export async function readManifest(backup: string): Promise<BackupManifest> {
  const stats = statSync(backup, { throwIfNoEntry: false });
  if (stats === undefined) throw new DatabaseUnusable(`${backup} does not exist`);
  if (!stats.isFile())
    throw new DatabaseUnusable(`${backup} is not a file: name a file with a backup`);
  const path = manifestPath(backup);
  let text: string;
  let found: Awaited<ReturnType<typeof measureFile>>;
  try {
    text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    found = await measureFile(backup);
  } catch (error) {
    throw toOperatorError(`${backup} cannot be read`, error);
  }
  const parsed = parseManifest(text);
  if (parsed === undefined) {
    throw new DatabaseUnusable(`${path} is missing or not a backup manifest`);
  }
  if (found.sha256 !== parsed.sha256) {
    throw new DatabaseUnusable(`${backup} is damaged: its contents do not match its manifest`);
  }
  if (parsed.schemaVersion > schemaVersion) {
    throw new DatabaseUnusable(
      `${backup} has schema version ${parsed.schemaVersion}, and this version of animal-store knows versions up to ${schemaVersion}`,
    );
  }
  return parsed;
}

export async function measureFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hasher = new Bun.CryptoHasher('sha256');
  let bytes = 0;
  for await (const chunk of Bun.file(path).stream()) {
    hasher.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hasher.digest('hex') };
}

export function manifestPath(backup: string): string {
  return `${backup}.json`;
}

/**
 * Checks a backup without a restore: it must match its manifest and pass `verifyFile`. Writes nothing beside the backup, because
 * its file is not in WAL mode.
 * @throws DatabaseUnusable with one line for the operator, if the manifest is missing or the file does not match it.
 */
export async function verifyBackup(backup: string, notedDigest?: string): Promise<Verification> {
  const manifest = await readManifest(backup);
  const { size: bytes } = statSync(backup);
  const result = await verifyInThread(backup, notedDigest);
  if ('faults' in result) return result;
  const faults = compare(manifest, { ...result, bytes });
  return faults.length > 0 ? { faults } : result;
}

function compare(
  manifest: BackupManifest,
  found: StoredSummary & Pick<BackupManifest, 'bytes'>,
): readonly string[] {
  const compared = ['bytes', 'animals', 'apiKeys', 'workspaces', 'audit'] as const;
  return compared.flatMap((member) => {
    const [expected, actual] = [manifest, found].map((summary) => JSON.stringify(summary[member]));
    return expected === actual
      ? []
      : [`The manifest says ${member} ${expected}, and the backup has ${actual}`];
  });
}
