import { heapStats } from 'bun:jsc';
import { describe, expect, test } from 'bun:test';
import { background } from '../../context/context.ts';
import { CallEnded } from '../../domain/values/context.ts';
import type { GroupOutcome, PendingCommand } from '../contract/command-writer.ts';
import { DatabaseOutcomeUnknown, DatabaseUnavailable } from '../contract/database-error.ts';
import { type CommandQueueLimits, createCommandQueue } from './command-queue.ts';
import { workspaceOf } from './commit-group.ts';

const generous: CommandQueueLimits = {
  groupCommandsMax: 100,
  queueCommandsMax: 100_000,
  waitMillisecondsMax: 60_000,
  transactionsMax: 1,
};

/** A queue whose groups are committed when the test says so. */
function openQueue(changes: Partial<CommandQueueLimits> = {}) {
  const groups: { readonly ids: readonly bigint[]; readonly end: (fault?: Error) => void }[] = [];
  const queue = createCommandQueue({
    limits: { ...generous, ...changes },
    partitionOf: (command) => `${workspaceOf(command)}`,
    commit(_context, group: readonly PendingCommand[]) {
      const { promise, resolve, reject } = Promise.withResolvers<readonly GroupOutcome[]>();
      const ids = group.map(({ input }) => ('id' in input ? BigInt(`${input.id}`) : 0n));
      const end = (fault?: Error) =>
        fault === undefined ? resolve(ids.map((id) => ({ ok: id }))) : reject(fault);
      groups.push({ ids, end });
      return promise;
    },
  });
  const name = 'deleteCategory';
  const inputOf = (id: bigint, workspaceId = 1n) => ({ workspaceId, id, precondition: {} });
  const write = (id: bigint, workspaceId = 1n, context = background) =>
    queue.write(context, name, inputOf(id, workspaceId));
  const writeMany = (count: number) => {
    const commands = Array.from({ length: count }, (_, index) => inputOf(BigInt(index)));
    return queue.writeMany(
      background,
      commands.map((input) => ({ name, input, key: undefined })),
    );
  };
  /** Lets everything run that waits for nothing else. */
  const settle = async () => {
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  };
  return { queue, groups, write, writeMany, settle };
}

/** How each promise ends: its result, or the kind of its error and the message. */
async function endsOf(writes: readonly Promise<unknown>[]): Promise<unknown[]> {
  return (await Promise.allSettled(writes)).map((end) =>
    end.status === 'fulfilled' ? end.value : `${end.reason.name}: ${end.reason.message}`,
  );
}

describe('the queue of writes', () => {
  test('commands that arrive during a commit share the next one, and each caller gets its own result', async () => {
    const { queue, groups, write, settle } = openQueue({ groupCommandsMax: 3 });
    const first = write(1n);
    await settle();
    const others = [2n, 3n, 4n, 5n].map((id) => write(id));
    await settle();
    expect([groups.map(({ ids }) => ids), queue.commandsWaiting]).toEqual([[[1n]], 4]);
    for (let index = 0; index < 3; index += 1) {
      groups[index]?.end();
      await settle();
    }
    expect(groups.map(({ ids }) => ids)).toEqual([[1n], [2n, 3n, 4n], [5n]]);
    const results: unknown[] = await Promise.all([first, ...others]);
    expect(results).toEqual([1n, 2n, 3n, 4n, 5n].map((ok) => ({ ok })));
  });

  test('a write to one workspace does not wait for another workspace, unless all transactions are in use', async () => {
    const { groups, write, settle } = openQueue({ transactionsMax: 2 });
    const writes = [write(1n, 1n), write(2n, 2n), write(3n, 3n)];
    await settle();
    expect(groups.map(({ ids }) => ids)).toEqual([[1n], [2n]]);
    groups[1]?.end();
    await settle();
    expect(groups.map(({ ids }) => ids)).toEqual([[1n], [2n], [3n]]);
    for (const { end } of groups) end();
    expect(await Promise.all(writes)).toHaveLength(3);
  });

  test('a full queue refuses at once, and accepts writes when it has space', async () => {
    const { groups, write, settle } = openQueue({ queueCommandsMax: 1 });
    const first = write(1n);
    await settle();
    const second = write(2n);
    expect(await endsOf([write(3n)])).toEqual(['DatabaseUnavailable: The command queue is full']);
    groups[0]?.end();
    await settle();
    const third = write(4n);
    groups[1]?.end();
    await settle();
    groups[2]?.end();
    expect(await Promise.all([first, second, third])).toHaveLength(3);
  });

  test('a write that cannot be answered in time is refused at once, and none when commits are fast again', async () => {
    const { groups, write, settle } = openQueue({ groupCommandsMax: 1, waitMillisecondsMax: 1000 });
    await expect(write(1n)).rejects.toBeInstanceOf(DatabaseOutcomeUnknown);
    const second = write(2n);
    // The measured time of this group is the longest allowed wait.
    groups[0]?.end();
    await settle();
    expect(await endsOf([write(3n)])).toEqual([
      'DatabaseUnavailable: The command queue is too slow',
    ]);
    groups[1]?.end();
    await second;
    await settle();
    const later = [write(4n), write(5n)];
    for (let index = 2; index < 4; index += 1) {
      await settle();
      groups[index]?.end();
    }
    expect(await Promise.all(later)).toHaveLength(2);
  });

  test('of writes without an answer in time, only one whose commit had begun has an unknown outcome', async () => {
    const { groups, write, settle } = openQueue({ waitMillisecondsMax: 50 });
    const running = write(1n);
    await settle();
    const [first, second] = await Promise.allSettled([running, write(2n)]);
    expect(first).toMatchObject({ reason: expect.any(DatabaseOutcomeUnknown) });
    expect(second).toMatchObject({ reason: expect.any(DatabaseUnavailable) });
    groups[0]?.end();
    await settle();
    expect(groups).toHaveLength(1);
  });

  test('a write that waits for long is not run if its caller left, and the others are', async () => {
    const { groups, write, settle } = openQueue();
    const first = write(1n);
    await settle();
    const left = new AbortController();
    // A second of its 60 is left, as after a long wait.
    const late = { ...background, signal: left.signal, deadline: performance.now() + 1000 };
    const ends = endsOf([first, write(2n, 1n, late), write(3n)]);
    left.abort();
    groups[0]?.end();
    await settle();
    expect(groups[1]?.ids).toEqual([3n]);
    groups[1]?.end();
    const ended = `${new CallEnded().name}: The call was aborted`;
    expect(await ends).toEqual([{ ok: 1n }, ended, { ok: 3n }]);
  });

  test('a failed commit fails its writes alone, and a queue that closes waits for all others', async () => {
    const { queue, groups, write, settle } = openQueue();
    const failed = write(1n);
    await settle();
    const later = write(2n);
    let isClosed = false;
    const closing = queue[Symbol.asyncDispose]().then(() => {
      isClosed = true;
    });
    groups[0]?.end(new Error('the disk is full'));
    expect(await endsOf([failed, write(3n)])).toEqual([
      'Error: the disk is full',
      'DatabaseUnavailable: The database is closing',
    ]);
    await settle();
    expect(isClosed).toBe(false);
    groups[1]?.end();
    expect(await endsOf([later])).toEqual([{ ok: 2n }]);
    await closing;
  });

  test('writes to many workspaces that time out leave nothing behind in memory', async () => {
    const { groups, write, settle } = openQueue({ waitMillisecondsMax: 50 });
    const objects = () => {
      Bun.gc(true);
      return heapStats().objectTypeCounts.Object ?? 0;
    };
    const before = objects();
    const workspaces = 5000;
    {
      const writes = Array.from({ length: workspaces }, (_, index) => write(1n, BigInt(index)));
      const ends = await Promise.allSettled(writes);
      expect(ends.every(({ status }) => status === 'rejected')).toBe(true);
    }
    groups[0]?.end();
    await settle();
    expect(objects() - before).toBeLessThan(workspaces / 2);
  });

  test('a call of many commands runs 100 in a transaction, and single commands wait for one such transaction at most', async () => {
    const { queue, groups, write, writeMany, settle } = openQueue();
    const many = [writeMany(250), writeMany(100)];
    await settle();
    const singles = [write(1n), write(2n)];
    for (let index = 0; index < 5; index += 1) {
      groups[index]?.end();
      await settle();
    }
    expect(groups.map(({ ids }) => ids.length)).toEqual([100, 2, 100, 50, 100]);
    expect((await Promise.all(many)).map((outcomes) => outcomes.length)).toEqual([250, 100]);
    expect(await Promise.all(singles)).toHaveLength(2);
    expect(queue.commandsWaiting).toBe(0);
  });

  test('a call of many takes turns with single commands of its workspace, even if more transactions could run', async () => {
    const { groups, write, writeMany, settle } = openQueue({ transactionsMax: 3 });
    const many = writeMany(200);
    await settle();
    const writes = [write(1n), write(2n, 2n)];
    await settle();
    const sizes = () => groups.map(({ ids }) => ids.length);
    expect(sizes()).toEqual([100, 1]);
    expect(groups[1]?.ids).toEqual([2n]);
    for (let index = 0; index < 4; index += 1) {
      groups[index]?.end();
      await settle();
    }
    expect([sizes(), groups[2]?.ids]).toEqual([[100, 1, 1, 100], [1n]]);
    expect(await Promise.all([many, ...writes])).toHaveLength(3);
  });

  test('a transaction of a call of many that fails leaves the others of the call', async () => {
    const { groups, writeMany, settle } = openQueue();
    const many = writeMany(300);
    for (const fault of [undefined, new Error('the disk is full'), undefined]) {
      await settle();
      groups.at(-1)?.end(fault);
    }
    const outcomes = await many;
    expect(outcomes.map((outcome) => 'ok' in outcome)).toEqual(
      outcomes.map((_, index) => index < 100 || index >= 200),
    );
    expect(outcomes).toHaveLength(300);
  });
});
