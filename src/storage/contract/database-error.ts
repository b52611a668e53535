/** Storage failed and changed nothing. The same call may succeed later. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** Whether the disk is full. */
  readonly isFull: boolean;
  /** Whether the requested data is damaged. Other data may be intact. */
  readonly isDamaged: boolean;
  /** Whether other commits wait for a synchronous standby and keep their locks. */
  readonly waitsForStandby: boolean;
  constructor(
    message: string,
    options: ErrorOptions & {
      readonly isFull?: boolean;
      readonly isDamaged?: boolean;
      readonly waitsForStandby?: boolean;
    } = {},
  ) {
    super(message, options);
    this.isFull = options.isFull ?? false;
    this.isDamaged = options.isDamaged ?? false;
    this.waitsForStandby = options.waitsForStandby ?? false;
  }
}

/** The outcome of a write is unknown: the changes may be stored or not. */
export class DatabaseOutcomeUnknown extends Error {
  override readonly name = 'DatabaseOutcomeUnknown';
  /** Whether the commit waits for a synchronous standby. */
  readonly waitsForStandby: boolean;
  constructor(
    message: string,
    options: ErrorOptions & { readonly waitsForStandby?: boolean } = {},
  ) {
    super(message, options);
    this.waitsForStandby = options.waitsForStandby ?? false;
  }
}

/** Storage cannot be opened. The message is one line for the operator. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
}
