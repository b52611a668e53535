// The real writer's thread, but it dies of an exception where it is to add the animal `deadly`.

import '../../src/sqlite/writer-thread.ts';
import type { ToWriter } from '../../src/sqlite/writer-thread.ts';

declare const self: Worker;

const write = self.onmessage;

self.onmessage = (event: MessageEvent<ToWriter>) => {
  if ('group' in event.data && event.data.group.some(({ input }) => nameOf(input) === 'deadly')) {
    throw new Error('a deadly animal');
  }
  write?.call(self, event);
};

function nameOf(input: unknown): string | undefined {
  return (input as { pet?: { name: string } }).pet?.name;
}
