import type { Pace } from './result.ts';
import type { Pinning, Tools } from './tools.ts';

/** Where and how a run measures. */
export interface Workbench {
  /** Holds databases and files of this run; gone with it. */
  readonly folder: string;
  readonly tools: Tools;
  readonly pinning: Pinning;
  readonly pace: Pace;
  /** Animals in each database of the scenarios. */
  readonly animals: number;
  /** Tells that one round is over. */
  readonly tick: () => void;
  /** Remembers a sentence about what was left out. */
  readonly note: (text: string) => void;
}
