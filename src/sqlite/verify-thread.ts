// The thread that verifies. SQLite is busy with one statement for seconds there; here it keeps nobody from being told
// how it goes, or from a signal.

import type { Verification } from '../domain/verification.ts';
import { verifyFile } from './verify.ts';

export interface ToVerifier {
  readonly path: string;
  readonly notedDigest?: string | undefined;
}

declare const self: Worker;

self.onmessage = ({ data: { path, notedDigest } }: MessageEvent<ToVerifier>) => {
  const verification: Verification = verifyFile(path, notedDigest);
  self.postMessage(verification);
};
