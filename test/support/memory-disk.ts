import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

// Tests in `bun test` keep their data in memory if it has space. Flushes to a disk would take most of their time, and
// no test there depends on them. The power cuts of test/faults use a disk.
const memory = '/dev/shm';
const bytesMin = 2 * 2 ** 30;

/** Tests also run programs from their folders. */
function mayRunPrograms(): boolean {
  return /^\S+ \/dev\/shm \S+ (?!\S*noexec)/m.test(readFileSync('/proc/mounts', 'utf8'));
}

function hasRoom(): boolean {
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > bytesMin;
}

if (process.platform === 'linux' && mayRunPrograms() && hasRoom()) {
  process.env.ANIMAL_STORE_TEST_DISK = tmpdir();
  process.env.TMPDIR = memory;
}
