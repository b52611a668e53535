import { afterEach, expect, jest, test } from 'bun:test';
import { screen } from '@testing-library/dom';
import { act } from 'preact/test-utils';
import { openPage, see } from '../../test/open-page.tsx';
import { showFailure, showNotice } from './notices.tsx';

afterEach(() => jest.useRealTimers());

const pass = (milliseconds: number) => act(() => void jest.advanceTimersByTime(milliseconds));

test('a message with Undo is folded into the header after 10 seconds, unless it has the focus, and failures stay', async () => {
  await openPage({ at: 'animals' });
  await see('No animals yet');
  jest.useFakeTimers();
  await act(() => {
    showNotice('Rex was sold.', async () => 'Rex is available again.');
    showFailure('The printer is on fire.');
  });
  const undo = () => screen.queryByRole('button', { name: 'Undo: Rex was sold.' });
  const menu = () => screen.queryByRole('button', { name: 'Undo…' });
  expect([undo() === null, menu() === null]).toEqual([false, true]);
  undo()?.focus();
  await pass(10_500);
  expect(undo() === null).toBe(false);
  undo()?.blur();
  await pass(10_500);
  expect([undo() === null, menu() === null]).toEqual([true, false]);
  await pass(60_000);
  expect(menu() === null).toBe(false);
  expect(screen.queryByText('The printer is on fire.') === null).toBe(false);
});
