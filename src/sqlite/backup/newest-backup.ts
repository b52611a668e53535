import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settlesWithin } from '../../context/deadline.ts';
import { clockSkewMillisecondsMax, isBackupName, nameOfTime } from './backup-folder.ts';
import { manifestPath, parseManifest } from './backup-manifest.ts';

/** How many manifests are read at most. Usually it is one, because the newest name is first. */
const manifestsMax = 100;

/** A folder on a disk that does not answer must not delay the other metrics. */
const waitMillisecondsMax = 1000;

/**
 * Reads when the newest complete backup of a database was made with `--folder`, in milliseconds since 1970, or 0 if there is
 * none. While the disk does not answer, it returns the previous result.
 */
export function createNewestBackupRead(
  folder: string,
  dataCreatedAt: number,
  now: () => number,
): () => Promise<number> {
  const database = new Date(dataCreatedAt).toISOString();
  /** Manifests that were read, until they change. A manifest of many workspaces is long. */
  const known = new Map<string, KnownManifest>();
  let newest = 0;
  let reading: Promise<void> | undefined;

  async function readManifest(path: string): Promise<KnownManifest | undefined> {
    // It was removed a moment ago, or is not readable: it counts as no backup.
    const file = await lstat(path).catch(() => undefined);
    if (file?.isFile() !== true) return undefined;
    const before = known.get(path);
    if (before?.modifiedAt === file.mtimeMs) return before;
    const manifest = parseManifest(await readFile(path, 'utf8'));
    const isOwn = manifest?.madeInFolder === true && manifest.dataCreatedAt === database;
    const backup = isOwn ? { bytes: manifest.bytes, madeAt: Date.parse(manifest.madeAt) } : {};
    const read = { modifiedAt: file.mtimeMs, ...backup };
    if (known.size >= manifestsMax) known.clear();
    known.set(path, read);
    return read;
  }

  async function findNewest(): Promise<number> {
    const latest = now() + clockSkewMillisecondsMax;
    const names = (await readdir(folder))
      .filter((name) => isBackupName(name) && name <= `${nameOfTime(latest)}.db`)
      .sort()
      .reverse();
    for (const name of names.slice(0, manifestsMax)) {
      const path = join(folder, name);
      const file = await lstat(path);
      const { bytes, madeAt = latest + 1 } = (await readManifest(manifestPath(path))) ?? {};
      if (file.isFile() && file.size === bytes && madeAt <= latest) return madeAt;
    }
    return 0;
  }

  async function read(): Promise<void> {
    newest = await findNewest().catch(() => 0);
    reading = undefined;
  }

  return async () => {
    reading ??= read();
    await settlesWithin(reading, waitMillisecondsMax);
    return newest;
  };
}

/** What was read from a manifest. A size and a time are those of a backup of this database that was made with `--folder`. */
interface KnownManifest {
  readonly modifiedAt: number;
  readonly bytes?: number;
  readonly madeAt?: number;
}
