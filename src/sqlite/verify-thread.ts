// The thread that verifies. SQLite is busy with one statement for seconds there; here it keeps nobody from being told
// how it goes, or from a signal.

import { DatabaseUnavailable, DatabaseUnusable } from '../domain/database.ts';
import type { Verification } from '../domain/verification.ts';
import { verifyFile } from './verify.ts';

export interface ToVerifier {
  readonly path: string;
  readonly notedDigest?: string | undefined;
}

/** An error's class does not survive the crossing: those for the operator go as their lines. */
export type FromVerifier =
  | { readonly verification: Verification }
  | { readonly unavailable: string }
  | { readonly unusable: string };

declare const self: Worker;

self.onmessage = ({ data }: MessageEvent<ToVerifier>) => {
  self.postMessage(verify(data));
};

function verify({ path, notedDigest }: ToVerifier): FromVerifier {
  try {
    return { verification: verifyFile(path, notedDigest) };
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return { unavailable: error.message };
    if (error instanceof DatabaseUnusable) return { unusable: error.message };
    throw error;
  }
}
