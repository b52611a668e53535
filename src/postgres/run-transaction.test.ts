import { describe, expect, test } from 'bun:test';
import { Client, DatabaseError } from 'pg';
import { background } from '../context/context.ts';
import type { Transaction } from '../storage/queryable.ts';
import { writerVersion } from '../storage/schema/prepare-schema.ts';
import { statement } from '../storage/statement.ts';
import { noteConnection } from './begin-writing.ts';
import { runTransaction } from './run-transaction.ts';

type Answer = object | Error;

/** A connection whose server gives these answers to the statements that end with the texts. */
function connect(answers: Readonly<Record<string, Answer>> = {}, version = BigInt(writerVersion)) {
  const sent: string[] = [];
  const client = new Client();
  const query = async (input: string | { readonly text: string }): Promise<object> => {
    const text = typeof input === 'string' ? input : input.text;
    sent.push(/BEGIN|COMMIT|ROLLBACK|writer_version/.exec(text)?.[0] ?? text);
    const found = Object.entries(answers).find(([part]) => text.endsWith(part))?.[1];
    if (text === 'COMMIT' && found === notice) {
      client.emit('notice', { routine: 'SyncRepWaitForLSN' });
    }
    if (found instanceof Error) throw found;
    return { command: text, rows: [{ version }], rowCount: 1, ...found };
  };
  noteConnection(client, { isPooled: false, synchronousCommit: undefined });
  return { client: Object.assign(client, { query }), sent };
}

const notice = {};
const change = statement('UPDATE first');
const later = statement('UPDATE second');

function answerOf(code: string): Error {
  return Object.assign(new DatabaseError(code, 0, 'error'), { code });
}

/** Changes two rows, the second without waiting. */
async function changeTwo(transaction: Transaction): Promise<string> {
  await transaction.run(change);
  transaction.runDeferred(later);
  return 'done';
}

describe('a transaction on one connection', () => {
  test('commits its changes after all its statements, and nothing if it changed nothing', async () => {
    const { client, sent } = connect();
    const ended = await runTransaction(client, background, changeTwo);
    expect(ended).toEqual({ result: 'done', hasChanges: true });
    const begin = ['BEGIN', 'writer_version'];
    expect(sent.splice(0)).toEqual([...begin, 'UPDATE first', 'UPDATE second', 'COMMIT']);
    expect((await runTransaction(client, background, async () => 7)).hasChanges).toBe(false);
    expect(sent.splice(0)).toEqual([...begin, 'ROLLBACK']);
    await runTransaction(client, background, async (transaction) => transaction.mustCommit());
    expect(sent).toEqual([...begin, 'COMMIT']);
  });

  test.each([
    ['DatabaseUnavailable', 'was rolled back by the server', { COMMIT: { command: 'ROLLBACK' } }],
    ['DatabaseOutcomeUnknown', 'lost its connection', { COMMIT: new Error('ended') }],
    ['DatabaseOutcomeUnknown', 'did not wait for its standby', { COMMIT: notice }],
    ['40001', 'met another transaction', { COMMIT: answerOf('40001') }],
    [
      '23505',
      'is of a rejected statement',
      { second: answerOf('23505'), COMMIT: new Error('ended') },
    ],
    ['DatabaseOutcomeUnknown', 'lacks a statement', { second: new Error('not sent') }],
  ])('ends with %s if its commit %s', async (reason, _what, answers) => {
    const { client } = connect(answers);
    const error = await runTransaction(client, background, changeTwo).catch((each) => each);
    expect(error instanceof DatabaseError ? error.code : error.name).toBe(reason);
    expect(client.listenerCount('notice')).toBe(0);
  });

  test('that fails by an error in the code is not committed, and throws that error', async () => {
    const { client, sent } = connect();
    const mistake = new Error('a mistake of ours');
    const running = runTransaction(client, background, async (transaction) => {
      await changeTwo(transaction);
      throw mistake;
    });
    await expect(running).rejects.toBe(mistake);
    expect(sent).not.toContain('COMMIT');
  });

  test('throws the error of the deferred statement that aborted it, not that of the next one', async () => {
    const { client } = connect({ second: answerOf('42P01'), first: answerOf('25P02') });
    const running = runTransaction(client, background, async (transaction) => {
      transaction.runDeferred(later);
      await transaction.run(change);
    });
    await expect(running).rejects.toMatchObject({ code: '42P01' });
  });

  test('of an older program changes nothing in data of a newer one', async () => {
    const { client, sent } = connect({}, BigInt(writerVersion) + 1n);
    const running = runTransaction(client, background, changeTwo);
    await expect(running).rejects.toMatchObject({ name: 'DatabaseUnavailable' });
    expect(sent).toEqual(['BEGIN', 'writer_version']);
  });

  test('begins no statement after its call has ended', async () => {
    const { client, sent } = connect();
    const left = new AbortController();
    const context = { ...background, signal: left.signal };
    const running = runTransaction(client, context, async (transaction) => {
      await transaction.run(change);
      left.abort();
      await transaction.run(later);
    });
    await expect(running).rejects.toMatchObject({ name: 'CallEnded' });
    expect(sent).toEqual(['BEGIN', 'writer_version', 'UPDATE first']);
  });
});
