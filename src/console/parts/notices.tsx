import { signal } from '@preact/signals';
import { common } from '../texts/common.ts';
import { Button } from './controls.tsx';
import { EndNotice } from './session-end.tsx';

const lengthMax = 160;

/** The last result. Screen readers read it. */
const notice = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

/** Failures after their dialog was closed. Each stays until it is dismissed. */
const failures = signal<readonly string[]>([]);

export function showNotice(text: string): void {
  notice.value = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    notice.value = '';
  }, 6000);
}

export function showFailure(text: string): void {
  dismiss(text);
  failures.value = [...failures.peek(), text];
}

function dismiss(text: string): void {
  failures.value = failures.peek().filter((one) => one !== text);
}

/** Another owner sees none of them. */
export function clearNotices(): void {
  notice.value = '';
  failures.value = [];
}

export function Notices() {
  return (
    <div class="notices">
      <EndNotice />
      <div role="alert">
        {failures.value.map((text) => (
          <div class="notice" key={text}>
            <p>{text}</p>
            <Button onClick={() => dismiss(text)}>{common.dismiss}</Button>
          </div>
        ))}
      </div>
      <div role="status">{notice.value !== '' && <p class="notice">{notice.value}</p>}</div>
    </div>
  );
}
