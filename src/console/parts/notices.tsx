import { signal } from '@preact/signals';
import { EndNotice } from '../session/end-notice.tsx';
import { Button } from './parts.tsx';

const lengthMax = 160;

/** What was just done, said once and read aloud. */
const notice = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

/** What failed after its window was left: it stays until it is dismissed. */
const failures = signal<readonly string[]>([]);

export function tell(text: string): void {
  notice.value = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    notice.value = '';
  }, 6000);
}

export function tellFailure(text: string): void {
  dismiss(text);
  failures.value = [...failures.peek(), text];
}

function dismiss(text: string): void {
  failures.value = failures.peek().filter((one) => one !== text);
}

/** Another owner is shown none of it. */
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
            <Button onClick={() => dismiss(text)}>Dismiss</Button>
          </div>
        ))}
      </div>
      <div role="status">{notice.value !== '' && <p class="notice">{notice.value}</p>}</div>
    </div>
  );
}
