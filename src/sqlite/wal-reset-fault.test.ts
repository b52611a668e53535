import { expect, test } from 'bun:test';
import { hasWalResetFault, readSqliteVersion } from './wal-reset-fault.ts';

test.each([
  ['3.6.23', false],
  ['3.7.0', true],
  ['3.43.2', true],
  ['3.44.5', true],
  ['3.44.6', false],
  ['3.44.7', false],
  ['3.45.0', true],
  ['3.50.6', true],
  ['3.50.7', false],
  ['3.51.0', true],
  ['3.51.2', true],
  ['3.51.3', false],
  ['3.52.0', false],
  ['4.0.0', false],
  ['unknown', true],
])('SQLite %s can lose pages during a checkpoint: %p', (version, isAffected) => {
  expect(hasWalResetFault(version)).toBe(isAffected);
});

test('the version of the loaded library is known', () => {
  expect(readSqliteVersion()).toMatch(/^3\.\d+\.\d+$/);
});
