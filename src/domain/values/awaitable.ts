/** A value, or a promise of it if it must be fetched. `await` takes both. */
export type Awaitable<Value> = Value | Promise<Value>;

/** Continues at once with a value that is not a promise, because a promise would cost a turn of the microtask queue. */
export function andThen<Value, Next>(
  value: Awaitable<Value>,
  next: (value: Value) => Awaitable<Next>,
): Awaitable<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
