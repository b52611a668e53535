/** Storage cannot do its work now, and did nothing; the same call may succeed later. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** There is no room left to write to. */
  readonly isFull: boolean;
  /** What was asked for is damaged; other data may be sound. */
  readonly isDamaged: boolean;
  constructor(
    message: string,
    options: ErrorOptions & { readonly isFull?: boolean; readonly isDamaged?: boolean } = {},
  ) {
    super(message, options);
    this.isFull = options.isFull ?? false;
    this.isDamaged = options.isDamaged ?? false;
  }
}

/** A write was under way when its answer was given up: it may be done or not. */
export class DatabaseOutcomeUnknown extends Error {
  override readonly name = 'DatabaseOutcomeUnknown';
}

/** Storage cannot be opened as it is; the message is one line for the operator. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
}
