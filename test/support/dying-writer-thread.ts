// The real writer's thread, except that it throws an exception when it adds the animal `deadly`.

import '../../src/sqlite/writer/thread.ts';
import type { ThreadCall } from '../../src/sqlite/writer/thread.ts';
import type { PendingCommand } from '../../src/storage/contract/command-writer.ts';

declare const self: Worker;

const answer = self.onmessage;

self.onmessage = (event: MessageEvent<ThreadCall>) => {
  const { name, input } = event.data;
  const group = name === 'commit' ? (input[0] as readonly PendingCommand[]) : [];
  if (group.some((command) => nameOf(command.input) === 'deadly')) {
    throw new Error('a deadly animal');
  }
  answer?.call(self, event);
};

function nameOf(input: unknown): string | undefined {
  return (input as { pet?: { name: string } }).pet?.name;
}
