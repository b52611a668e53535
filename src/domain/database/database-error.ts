/** Storage failed and changed nothing. The same call may succeed later. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** Whether the disk is full. */
  readonly isFull: boolean;
  /** Whether the requested data is damaged. Other data may be intact. */
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

/** The outcome of a write is unknown: the changes may be stored or not. */
export class DatabaseOutcomeUnknown extends Error {
  override readonly name = 'DatabaseOutcomeUnknown';
}

/** Storage cannot be opened. The message is one line for the operator. */
export class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
}
