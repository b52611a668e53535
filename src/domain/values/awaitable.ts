/** A value now where it is at hand, or later where it must be fetched; `await` takes both. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Goes on with a value now where it is at hand: a promise would cost a turn of the microtask queue. */
export function andThen<Value, Next>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
