import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GoldenAnswers, parseAnswers } from '../golden/exchange.ts';
import { loadFile, loadTables } from '../golden/sql-text.ts';
import type { EngineName } from './engines.ts';

const folder = join(import.meta.dir, '../golden');

/** The released versions that have golden data. */
export const goldenVersions = readdirSync(folder).filter((name) => /^[\d.]+$/.test(name));

export function readGoldenAnswers(version: string, engine: EngineName): GoldenAnswers {
  return parseAnswers(readFileSync(join(folder, version, 'answers.json'), 'utf8'), engine);
}

/** Fills a missing file or an empty database with the data that a released version made. */
export async function loadGoldenData(
  version: string,
  engine: EngineName,
  url: string,
): Promise<void> {
  const sql = readFileSync(join(folder, version, `${engine}.sql`), 'utf8');
  if (engine === 'sqlite') loadFile(url.replace('sqlite:', ''), sql);
  else await loadTables(url, sql);
}
