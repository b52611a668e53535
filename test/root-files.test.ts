import { expect, test } from 'bun:test';
import { chownSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './support/server-process.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const owner = { uid: 65534, gid: 65533 };

test.skipIf(process.getuid?.() !== 0)(
  'every file and folder that a command of root creates belongs to the owner of the folder around it',
  async () => {
    using folder = makeTemporaryFolder();
    chownSync(folder.path, owner.uid, owner.gid);
    mkdirSync(join(folder.path, 'backups'));
    chownSync(join(folder.path, 'backups'), owner.uid, owner.gid);
    const env = { DATABASE_URL: `sqlite:${folder.path}/new/data/a.db` };
    for (const args of [
      ['demo'],
      ['backup', join(folder.path, 'b.db')],
      ['backup', '--folder', join(folder.path, 'backups')],
      ['restore', join(folder.path, 'b.db')],
      ['restore', join(folder.path, 'b.db'), '--database', `sqlite:${folder.path}/other/a.db`],
      ['copy', '--from', env.DATABASE_URL, '--to', `sqlite:${folder.path}/copies/c.db`],
    ]) {
      expect([args, (await runProgram(args, env)).exitCode]).toEqual([args, 0]);
    }
    const names = readdirSync(folder.path, { recursive: true, encoding: 'utf8' });
    expect(names.length).toBeGreaterThan(15);
    const others = names.filter((name) => {
      const { uid, gid } = statSync(join(folder.path, name));
      return uid !== owner.uid || gid !== owner.gid;
    });
    expect(others).toEqual([]);
  },
);
