import { echo } from '../../domain/error.ts';
import { type Int64, parseInt64 } from '../../domain/values/int64.ts';
import { CliFailure } from '../../terminal/cli-failure.ts';

/** The id that was given, or 0, which no key has, and a fault. */
export function parseKeyId(text: string, faults: string[]): Int64 {
  const id = parseInt64(text) ?? 0n;
  if (id >= 1n) return id;
  faults.push(`ID must be the number of a key, got ${echo(text)}`);
  return 0n;
}

export function noSuchKey(id: Int64): CliFailure {
  return new CliFailure(`There is no key ${id}; run keys list to see the keys`);
}
