import { beforeEach, expect, test } from 'bun:test';
import { AnimalStoreError } from '../../../client/src/error.ts';
import { loadInPage } from '../../../test/support/console-shop.ts';

const { endUndos, offerUndo, runUndo, undoNotices } = await loadInPage(() => import('./undo.ts'));

beforeEach(endUndos);

/** Offers an Undo, and returns its notice. */
function offer(text: string, act = async (): Promise<string | undefined> => `${text} undone`) {
  offerUndo(text, act);
  const notice = undoNotices.peek().at(-1);
  if (notice === undefined) throw new Error('No Undo is offered');
  return notice;
}

const texts = () => undoNotices.peek().map(({ text }) => text);

test('twenty changes can be undone, the newest', () => {
  for (let count = 1; count <= 22; count += 1) offer(`${count}`);
  expect(texts()).toEqual(Array.from({ length: 20 }, (_none, index) => `${index + 3}`));
});

test('an Undo is used once, and the others stay', async () => {
  offer('first');
  const second = offer('second');
  expect(await runUndo(second)).toEqual({ done: 'second undone' });
  expect(texts()).toEqual(['first']);
});

test('an Undo that is refused is no longer offered, and its message has the reason', async () => {
  const refused = offer('saved', () => Promise.reject(new Error('It was changed.')));
  expect(await runUndo(refused)).toEqual({ failure: '“saved” was not undone. It was changed.' });
  expect(texts()).toEqual([]);
});

test('an Undo without an answer stays, and can be tried again', async () => {
  const fails = [true, false];
  const { text } = offer('saved', async () => {
    if (fails.shift() === true) throw new AnimalStoreError('connection_failed', 'Lost');
    return 'undone';
  });
  const run = async () => {
    const [notice] = undoNotices.peek();
    return notice && (await runUndo(notice));
  };
  expect((await run())?.failure).toStartWith('“saved” was not undone. The server cannot be');
  expect(texts()).toEqual([text]);
  expect(await run()).toEqual({ done: 'undone' });
});

test('an Undo that runs is not run again, and shows nothing to the next user', async () => {
  const held = Promise.withResolvers<string>();
  let count = 0;
  const notice = offer('running', () => {
    count += 1;
    return held.promise;
  });
  const running = runUndo(notice);
  const [shown] = undoNotices.peek();
  expect(shown && (await runUndo(shown))).toEqual({});
  expect([texts(), count]).toEqual([['running'], 1]);
  endUndos();
  held.resolve('undone');
  expect(await running).toEqual({});
});
