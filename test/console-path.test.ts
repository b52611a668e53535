import { expect, test } from 'bun:test';
import { readPath, writePath } from '../console/src/workspace-path.ts';

test.each([
  ['/console', '/', undefined],
  ['/console/', '/', undefined],
  ['/a/b/console/', '/a/b/', undefined],
  ['/console/w/shop/', '/', 'shop'],
  ['/console/w/shop', '/', 'shop'],
  ['/console/w/', '/', undefined],
  ['/a/b/console/w/shop/', '/a/b/', 'shop'],
  ['/console/w/console/', '/', 'console'],
  ['/console/console', '/console/', undefined],
  ['/console/w/%20x/', '/', '%20x'],
])('the path %s names the workspace of the console, after any prefix', (path, root, workspace) => {
  expect(readPath(path)).toEqual({ root, workspace });
  if (path.endsWith('/') && workspace !== undefined) {
    expect(writePath(root, workspace)).toBe(path);
  }
});
