import {
  DatabaseOutcomeUnknown,
  DatabaseUnavailable,
} from '../../domain/database/database-error.ts';
import type { GroupOutcome, PendingCommand } from '../../storage/commands/commit-group.ts';
import { decodeError, openThread } from './open-thread.ts';

/** Writes to a file in a separate thread. */
export async function openWriter(path: string) {
  using opening = new DisposableStack();
  const thread = opening.use(openThread());
  await thread.call('open', path);
  const open = opening.move();
  const broken = Promise.withResolvers<Error>();
  let fault: DatabaseUnavailable | undefined;
  let hasDied = false;

  /** Rejects all later writes, and settles `broken`. */
  function giveUp(reason: DatabaseUnavailable): void {
    fault ??= reason;
    // The running group may be committed.
    thread.abandon(new DatabaseOutcomeUnknown(reason.message));
    broken.resolve(reason);
  }

  thread.died.then(({ message }) => {
    hasDied = true;
    giveUp(new DatabaseUnavailable(message));
  });

  return {
    broken: broken.promise,
    giveUp,
    /** Commits a group. The caller waits for the end of each group. */
    async commit(group: readonly PendingCommand[]): Promise<readonly GroupOutcome[]> {
      if (fault !== undefined) throw fault;
      const outcomes = await thread.call('commit', group);
      return outcomes.map((outcome) =>
        'error' in outcome ? { error: decodeError(outcome.error) } : outcome,
      );
    },
    async [Symbol.asyncDispose]() {
      if (!hasDied) await thread.call('close', fault !== undefined);
      open.dispose();
    },
  };
}
