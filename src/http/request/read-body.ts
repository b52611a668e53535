import { after } from '../../context/deadline.ts';
import { type Failure, fail } from '../failure.ts';

/** Enough for the largest body over 52 kbit/s. */
export const bodySecondsMax = 10;

/** Reads the bytes of a body, or fails with 413 or 400. */
type ReadBody = (request: Request, bytesMax: number) => Promise<Uint8Array | Failure>;

/** A body that is being read. */
interface Arrival {
  /** Milliseconds of `performance.now`. */
  readonly deadline: number;
  readonly end: (failure: Failure) => void;
}

/** All bodies share one timer, because starting and stopping one for each costs more than reading a small body. */
export function createReadBody(secondsMax: number): ReadBody {
  // After this, the connection is closed, because the rest of the body would be useless.
  const message = `The body was incomplete after ${secondsMax} s`;
  const late = fail('invalid_json', message, { connection: 'close' });
  /** All have the same time, so the order of arrival is that of the deadlines. */
  const arrivals = new Set<Arrival>();
  let timer: Disposable | undefined;

  /** Ends the late bodies. The timer then waits for the first of the others, and stops if there is none. */
  function endLate(): void {
    timer = undefined;
    const now = performance.now();
    for (const arrival of arrivals) {
      if (arrival.deadline > now) {
        startTimer(arrival.deadline - now);
        return;
      }
      arrivals.delete(arrival);
      arrival.end(late);
    }
  }

  function startTimer(milliseconds: number): void {
    // It is not stopped when the last body is complete.
    timer = after(milliseconds, endLate);
  }

  return (request, bytesMax) => {
    const reading = readBytes(request, bytesMax);
    return new Promise((end) => {
      const milliseconds = secondsMax * 1000;
      const arrival = { deadline: performance.now() + milliseconds, end };
      arrivals.add(arrival);
      if (timer === undefined) startTimer(milliseconds);
      reading.then(
        (bytes) => {
          arrivals.delete(arrival);
          end(bytes);
        },
        () => {
          arrivals.delete(arrival);
          end(interrupted);
        },
      );
    });
  };
}

/** The client closed the connection, so it will not read this. */
const interrupted = fail('invalid_json', 'The body ended before it was complete');

function readBytes(request: Request, bytesMax: number): Promise<Uint8Array | Failure> {
  const declared = request.headers.get('content-length');
  if (declared === null) return readChunks(request, bytesMax);
  return Number(declared) > bytesMax ? Promise.resolve(tooLarge(bytesMax)) : request.bytes();
}

/** Without a declared length, the bytes are counted as they arrive, and the rest is not read. */
async function readChunks(request: Request, bytesMax: number): Promise<Uint8Array | Failure> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > bytesMax) return tooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function tooLarge(bytesMax: number): Failure {
  return fail('content_too_large', `The body must be at most ${bytesMax} bytes`);
}
