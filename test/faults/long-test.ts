/** The result of one run of a long test. */
export interface TestOutcome {
  /** What was measured, in words. Printed and stored in this order. */
  readonly figures: readonly string[];
  /** The promises that did not hold. */
  readonly broken: readonly string[];
  /**
   * The time limits that were exceeded. A busy machine can be the cause, so the test runs once more, alone. If a limit is
   * exceeded again, the promise is broken.
   */
  readonly late?: readonly string[];
}

/** A test that takes too long for `npm test`. `test/promises.json` has its promise. */
export interface LongTest {
  /** The name for `--only`. */
  readonly name: string;
  /** What is done to the service, in a few words. */
  readonly title: string;
  /** Whether it mostly waits, and has no limit below some seconds. Then it runs beside those that measure. */
  readonly isPatient?: true;
  /** Returns the reason why the test cannot run on this machine, or undefined if it can. */
  readonly missing?: () => string | undefined;
  readonly run: (options: TestOptions) => Promise<TestOutcome>;
}

export interface TestOptions {
  /** Whether to run the many rounds of `--long` or the few of everyday runs. */
  readonly long: boolean;
}

/** Thrown by a test that cannot run on this machine, if only the run itself can find this out. */
export class LeftOut extends Error {}
