import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { clockSkewMillisecondsMax, isBackupName, nameOfTime } from './backup-folder.ts';
import { manifestPath, parseManifest } from './backup-manifest.ts';

/** How many manifests are read at most. Usually it is one, because the newest name is first. */
const manifestsMax = 100;

/** A folder on a disk that does not answer must not delay the other metrics. */
const waitMillisecondsMax = 1000;

/** Manifests that were read, until they change. A manifest of many workspaces is long. */
type Known = ReadonlyMap<string, KnownManifest>;

interface KnownManifest {
  readonly modifiedAt: number;
  /** Undefined unless it is the manifest of a backup of the same database that was made with `--folder`. */
  readonly backup: { readonly bytes: number; readonly madeAt: number } | undefined;
}

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
  let known: Known = new Map();
  let newest = 0;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      const read = new Map<string, KnownManifest>();
      newest = await findNewest(folder, now() + clockSkewMillisecondsMax, async (path) => {
        const manifest = await readKnown(path, database, known);
        read.set(path, manifest);
        return manifest;
      });
      known = read;
    } catch {
      newest = 0;
    }
    reading = undefined;
  }
  return async () => {
    reading ??= read();
    await Promise.race([reading, setTimeout(waitMillisecondsMax, undefined, { ref: false })]);
    return newest;
  };
}

async function findNewest(
  folder: string,
  latest: number,
  readManifest: (path: string) => Promise<KnownManifest>,
): Promise<number> {
  const names = (await readdir(folder))
    .filter((name) => isBackupName(name) && name <= `${nameOfTime(latest)}.db`)
    .sort()
    .reverse();
  for (const name of names.slice(0, manifestsMax)) {
    const path = join(folder, name);
    const file = await lstat(path);
    const { backup } = await readManifest(manifestPath(path));
    const isComplete = file.isFile() && file.size === backup?.bytes;
    if (isComplete && backup.madeAt <= latest) return backup.madeAt;
  }
  return 0;
}

async function readKnown(path: string, database: string, known: Known): Promise<KnownManifest> {
  const { mtimeMs: modifiedAt, isFile } = await statLink(path);
  const before = known.get(path);
  if (before?.modifiedAt === modifiedAt) return before;
  const manifest = isFile ? parseManifest(await readFile(path, 'utf8')) : undefined;
  if (manifest?.madeInFolder !== true || manifest.dataCreatedAt !== database) {
    return { modifiedAt, backup: undefined };
  }
  const madeAt = Date.parse(manifest.madeAt);
  return { modifiedAt, backup: { bytes: manifest.bytes, madeAt } };
}

/** Returns a time that no file has if the file is missing. */
async function statLink(path: string): Promise<{ mtimeMs: number; isFile: boolean }> {
  try {
    const found = await lstat(path);
    return { mtimeMs: found.mtimeMs, isFile: found.isFile() };
  } catch {
    return { mtimeMs: Number.NaN, isFile: false };
  }
}
