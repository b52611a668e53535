import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify(scrypt);

/** With the default cost of `scrypt`, one guess takes about 50 ms. */
const markBytes = 32;

const marks = new Map<string, Promise<string>>();

/**
 * What a session that was opened with the operator's own key stores, 64 hexadecimal digits: it ends when the key changes. A person chose
 * this key, so its SHA-256 in a backup could be guessed. It is made once per process, beside the event loop.
 */
export function operatorMark(digest: string): Promise<string> {
  let mark = marks.get(digest);
  if (mark === undefined) {
    mark = derive(digest, 'animal-store console session', markBytes).then((bytes) =>
      (bytes as Buffer).toString('hex'),
    );
    marks.set(digest, mark);
  }
  return mark;
}
