import { afterEach, expect, test } from 'bun:test';
import { render } from 'preact';
import { see } from '../../test/open-page.tsx';
import { connection } from '../api/announce.ts';
import { laterScreen } from './later-screen.tsx';

const root = document.createElement('div');
afterEach(() => {
  render(null, root);
  root.remove();
  connection.value = 'connecting';
});

test('a screen that could not be loaded is loaded when the server answers again', async () => {
  let isAway = true;
  const Screen = laterScreen(async () => {
    if (isAway) throw new TypeError('Failed to fetch dynamically imported module');
    return () => <p>Here it is</p>;
  });
  connection.value = 'lost';
  document.body.append(root);
  render(<Screen />, root);
  await see(/not available/);
  isAway = false;
  connection.value = 'live';
  await see('Here it is');
  expect(root.textContent).toBe('Here it is');
});
