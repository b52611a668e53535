import { signal } from '@preact/signals';

const lengthMax = 160;

/** What was just done, said once and read aloud. */
const notice = signal('');
let timer: ReturnType<typeof setTimeout> | undefined;

export function tell(text: string): void {
  notice.value = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
  clearTimeout(timer);
  timer = setTimeout(() => {
    notice.value = '';
  }, 6000);
}

export function Notices() {
  return (
    <div class="notices" role="status">
      {notice.value !== '' && <p>{notice.value}</p>}
    </div>
  );
}
