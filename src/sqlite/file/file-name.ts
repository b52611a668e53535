import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { quoteWord } from '../../domain/values/shell-word.ts';
import { escapeHidden } from '../../domain/values/visible-text.ts';
import { DatabaseUnusable } from '../../storage/contract/database-error.ts';
import { withOperatorError } from '../errors.ts';

/**
 * Rejects a path with white space at an end. `bun:sqlite` removes it, so that the data would be in one file, and its lock, checks
 * and copies beside another. A folder can begin with white space: its path is made absolute first.
 * @throws DatabaseUnusable with one line that names the file with the data.
 */
export function rejectWhiteSpace(path: string): void {
  const trimmed = path.trim();
  if (trimmed === path) return;
  const fault = `The path ${showWhiteSpace(path)} has white space at an end, which SQLite ignores`;
  const [given, meant] = [resolve(path), resolve(trimmed)];
  throw new DatabaseUnusable(`${fault}. ${adviceFor(given, meant)}`);
}

function adviceFor(given: string, meant: string): string {
  if (hasData(meant)) {
    return `The data is in ${meant}: remove the white space from the variable, option or argument, for example the line ends of a file from Windows`;
  }
  if (!hasData(given)) {
    return 'Remove it from the variable, option or argument: a file of variables with the line ends of Windows adds it';
  }
  // SQLite would apply this log to the renamed file.
  const log = `${meant}-wal`;
  return existsSync(log)
    ? `The data is in that file, but ${log} is the log of other data: move that log away, then rename the file to ${meant}`
    : `The data is in that file: run mv -- ${quoteWord(given)} ${quoteWord(meant)}, and remove the white space from the variable, option or argument`;
}

/** Quotes a path, and escapes the white space at its ends except for spaces, which terminals show. */
function showWhiteSpace(path: string): string {
  const escapeEnd = (end: string) =>
    end.replaceAll(
      /[^ ]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return `"${escapeHidden(path.replaceAll(/^\s+|\s+$/g, escapeEnd))}"`;
}

/**
 * Rejects a path that is quoted or begins with `~`, unless it has data. Only a shell replaces both, and not in a file of variables
 * or after `sqlite:`. `report` receives one line for a path with data.
 * @throws DatabaseUnusable with one line that names the path that was meant.
 */
export function checkSpelling(path: string, report: (line: string) => void): void {
  const isQuoted = path.length > 2 && /^(["']).*\1$/s.test(path);
  if (!isQuoted && !path.startsWith('~')) return;
  const meant = resolve(isQuoted ? path.slice(1, -1) : replaceHome(path));
  const [why, what] = isQuoted
    ? ['begins and ends with a quote', 'the quotes are part']
    : ['begins with ~', '~ is part'];
  if (hasData(path)) {
    report(
      `The path ${path} ${why}, which is part of the name here. Stop the server of this file, rename it to ${meant}, and correct the variable or option`,
    );
    return;
  }
  throw new DatabaseUnusable(
    `There is no data in ${resolve(path)}: the path ${why}, and no shell has replaced it. Write ${meant}, or begin the path with ./ if ${what} of the name`,
  );
}

function replaceHome(path: string): string {
  return /^~(?:\/|$)/.test(path) ? join(homedir(), path.slice(1)) : path.slice(1);
}

function hasData(path: string): boolean {
  return withOperatorError(`${path} cannot be opened`, () => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() === true && found.size > 0;
  });
}
