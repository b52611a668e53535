import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import type { LongTest } from '../faults/long-test.ts';
import { runProgram, startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const connections = 10;

export const keyMemory: LongTest = {
  name: 'key-memory',
  title: 'the memory of a running server searched for keys',
  missing: () => (existsSync('/proc/self/mem') ? undefined : 'needs /proc (Linux)'),
  run: searchMemory,
};

async function searchMemory() {
  using folder = makeTemporaryFolder();
  const DATABASE_URL = `sqlite:${folder.path}/test.db`;
  await using server = await startServerProcess(DATABASE_URL);
  const { firstKey = '', origin, pid } = server;
  async function makeKey(): Promise<string> {
    const { stdout } = await runProgram(['keys', 'create', '--name', 'test'], { DATABASE_URL });
    return /anst_live_\S+/.exec(stdout)?.[0] ?? '';
  }
  async function use(apiKey: string, count: number): Promise<void> {
    const headers = { authorization: `Bearer ${apiKey}` };
    const useInTurn = async () => {
      for (let sent = 0; sent < count / connections; sent += 1) {
        const response = await fetch(`${origin}/v1/pets`, { headers });
        if ((await response.text()) !== '[]') throw new Error('The key was refused');
      }
    };
    await Promise.all(Array.from({ length: connections }, useInTurn));
  }

  const unused = await makeKey();
  const used = await makeKey();
  await use(used, 1000);
  const during = countInMemory(pid, used);
  let otherCount = 0;
  let after = during;
  // The server keeps no key, and freed memory is overwritten when it is used again.
  while (after > 0 && otherCount < 200_000) {
    await use(firstKey, 50_000);
    otherCount += 50_000;
    after = countInMemory(pid, used);
  }
  const never = countInMemory(pid, unused);
  return {
    figures: [
      `a key that was not used: ${never} times`,
      `a key right after 1000 requests with it: ${during} times`,
      `the same after ${otherCount} requests with another: ${after} times`,
    ],
    broken: [
      ...(never > 0 ? ['a key that was not used is in the memory'] : []),
      ...(after > 0 ? ['a key stays in the memory'] : []),
      ...(during === 0 ? ['the search did not find the key of the latest requests'] : []),
    ],
  };
}

const pieceBytes = 2 ** 20;

/** How often the memory of a process contains a text. */
function countInMemory(pid: number, text: string): number {
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const piece = Buffer.alloc(pieceBytes + text.length);
  let count = 0;
  for (const [start, end] of writtenRegions(pid)) {
    for (let at = start; at < end; at += pieceBytes) {
      const length = Math.min(piece.length, end - at);
      let read = 0;
      try {
        read = readSync(memory, piece, 0, length, at);
      } catch {
        // The region was freed or cannot be read.
        continue;
      }
      const found = piece.subarray(0, read);
      for (let index = found.indexOf(text); index !== -1; index = found.indexOf(text, index + 1)) {
        // A text that starts in the overlap is counted in the next piece.
        if (index < pieceBytes) count += 1;
      }
    }
  }
  closeSync(memory);
  return count;
}

/** Regions with written pages. Runtimes reserve gigabytes of other regions, which are empty. */
function writtenRegions(pid: number): [start: number, end: number][] {
  const regions: [number, number][] = [];
  let region: [number, number] | undefined;
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'latin1').split('\n')) {
    const [, start = '', end = ''] = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line) ?? [];
    if (/^[0-9a-f]+-/.test(line)) {
      region = start === '' ? undefined : [Number.parseInt(start, 16), Number.parseInt(end, 16)];
    }
    if (region !== undefined && /^Private_Dirty: +[1-9]/.test(line)) regions.push(region);
  }
  return regions;
}
