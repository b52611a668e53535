// Uses a data file as other programs with SQLite do, in a process of its own: `bun use-sqlite.ts FILE USE [TARGET]`.

import { Database as Connection } from 'bun:sqlite';
import { writeFileSync } from 'node:fs';

const [path = '', use = '', target = ''] = process.argv.slice(2);
using connection = new Connection(path, { readwrite: true });
connection.run('PRAGMA busy_timeout = 1000');
connection.query('SELECT name FROM sqlite_schema').all();
if (use === 'backup') writeFileSync(target, connection.serialize());
else if (use !== 'tables') connection.run(use);
