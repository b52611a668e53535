import { expect, test } from 'bun:test';
import { createReadMappedIndex } from './wal-index.ts';

/** Writes states of the index as SQLite does: the second copy of the header, then the first. Salt and number of frames rise together. */
const write = `
  onmessage = ({ data }) => {
    const words = new Uint32Array(data);
    const stop = new Int32Array(data, 256);
    postMessage('started');
    for (let state = 1; Atomics.load(stop, 0) === 0; state += 1) {
      for (const first of [12, 0]) {
        words[first + 3] = 1 | (4096 << 16);
        words[first + 4] = state;
        words[first + 8] = state;
      }
    }
    postMessage('stopped');
  };`;

test('an index that another process changes is read as one of its states, and never as halves of two', async () => {
  const memory = new SharedArrayBuffer(512);
  const url = URL.createObjectURL(new Blob([write], { type: 'text/javascript' }));
  const worker = new Worker(url);
  const next = () =>
    new Promise((resolve) => {
      worker.onmessage = resolve;
    });
  const started = next();
  worker.postMessage(memory);
  await started;
  const read = createReadMappedIndex(memory, () => undefined);
  let halves = 0;
  for (let reads = 0; reads < 2_000_000; reads += 1) {
    const index = read();
    if (typeof index === 'object' && index.salt !== index.frameCount) halves += 1;
  }
  const stopped = next();
  Atomics.store(new Int32Array(memory, 256), 0, 1);
  await stopped;
  worker.terminate();
  expect(halves).toBe(0);
});
