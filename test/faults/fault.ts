/** What a run of one fault found. */
export interface FaultOutcome {
  /** Shown and kept, in this order: what was measured, in words. */
  readonly figures: readonly string[];
  /** What was promised and did not hold; empty is good. */
  readonly broken: readonly string[];
  /**
   * What was promised for a time and took longer. A machine that is busy with something else may be to blame, so such a
   * fault is inflicted once more; late again, it is broken.
   */
  readonly late?: readonly string[];
}

/** A way to make things go wrong, and the promise that is to hold all the same. */
export interface Fault {
  /** As `--only` takes it. */
  readonly name: string;
  /** What is done to the service, in a few words. */
  readonly title: string;
  readonly promise: string;
  /** Says why it cannot run on this machine; undefined where it can. */
  readonly missing?: () => string | undefined;
  readonly run: (options: FaultOptions) => Promise<FaultOutcome>;
}

export interface FaultOptions {
  /** How often, where a fault is done again and again: few in everyday runs, many on demand. */
  readonly long: boolean;
}
