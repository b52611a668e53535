import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { DatabaseUnusable } from '../../storage/contract/database-error.ts';
import type { StoredSummary } from '../../storage/contract/verification.ts';
import { schemaVersion } from '../../storage/schema/prepare-schema.ts';
import { withOperatorError } from '../errors.ts';
import { rejectWhiteSpace } from '../file/file-name.ts';
import { isThere } from '../file/file-system.ts';
import type { FileVerification } from '../verify.ts';
import { verifyInThread } from '../verify-in-thread.ts';

/** The description of a backup, in `FILE.json` beside it. */
export type BackupManifest = Readonly<z.infer<typeof manifestSchema>>;

const manifestSchema = z.object({
  madeAt: z.string(),
  schemaVersion: z.int(),
  bytes: z.int(),
  /** The digest of the file, in hexadecimal. */
  sha256: z.string(),
  /** When the first workspace of the data was created, which identifies a database. */
  dataCreatedAt: z.string().optional(),
  /** Made with `--folder`: `--keep` may remove it. */
  madeInFolder: z.boolean().optional(),
  animals: z.int(),
  workspaces: z.array(z.object({ name: z.string(), animals: z.int(), nextId: z.int() })).readonly(),
  apiKeys: z.int(),
  audit: z.object({ count: z.int(), digest: z.string() }),
});

/** Returns undefined if the text is not a manifest. */
export function parseManifest(text: string): BackupManifest | undefined {
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Receives a file that exists, but that this user may not read. */
export type OnUnreadable = (path: string, error: unknown) => void;

/** Reads the manifest in a file; undefined if it is none. */
export function readRegularManifest(
  path: string,
  onUnreadable?: OnUnreadable,
): BackupManifest | undefined {
  if (findRegular(path) === undefined) return undefined;
  try {
    return parseManifest(readFileSync(path, 'utf8'));
  } catch (error) {
    // Another process can have removed it.
    if (findRegular(path) !== undefined) onUnreadable?.(path, error);
    return undefined;
  }
}

/** Links are ignored, because they name a backup in another folder. */
export function findRegular(path: string): Stats | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true ? found : undefined;
}

/**
 * Reads the manifest of a backup, and checks that the file matches it. Returns undefined for a plain file without a manifest, such
 * as a copy or a snapshot.
 * @throws DatabaseUnusable with one line for the operator.
 */
export async function readManifest(backup: string): Promise<BackupManifest | undefined> {
  rejectWhiteSpace(resolve(backup));
  const path = manifestPath(backup);
  const read = await withOperatorError(`${backup} cannot be read`, async () => {
    const stats = statSync(backup, { throwIfNoEntry: false });
    if (stats === undefined) throw new DatabaseUnusable(`${backup} does not exist`);
    if (!stats.isFile())
      throw new DatabaseUnusable(`${backup} is not a file: name a file with a backup`);
    if (!isThere(path)) return undefined;
    return { text: readFileSync(path, 'utf8'), found: await measureFile(backup) };
  });
  if (read === undefined) return undefined;
  const { text, found } = read;
  const parsed = parseManifest(text);
  if (parsed === undefined) throw new DatabaseUnusable(`${path} is not a backup manifest`);
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
 * Checks a backup without a restore: it must pass `verifyFile` and match its manifest, if it has one. Writes nothing beside a file
 * that has no log.
 * @throws DatabaseUnusable or DatabaseUnavailable with one line for the operator, if the file does not match its manifest or cannot
 * be opened.
 */
export async function verifyBackup(
  backup: string,
  notedDigest?: string,
): Promise<FileVerification & { readonly hasManifest: boolean }> {
  const manifest = await readManifest(backup);
  const hasManifest = manifest !== undefined;
  const { size: bytes } = statSync(backup);
  const { found, notes } = await verifyInThread(backup, { notedDigest, use: 'kept' });
  if (!hasManifest || 'faults' in found) return { found, notes, hasManifest };
  const faults = compare(manifest, { ...found, bytes });
  return { found: faults.length > 0 ? { faults } : found, notes, hasManifest };
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
