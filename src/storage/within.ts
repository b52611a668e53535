import { checkContext } from '../context/context.ts';
import type { Context } from '../domain/values/context.ts';
import type { Queryable } from './queryable.ts';

/** Returns what runs the statements of a call. It throws `CallEnded` instead of beginning a statement after the end of the call. */
export type Within = (context: Context) => Queryable;

/** Reads whose statements need nothing else from their call. */
export function endingWithCall({ all }: Queryable): Within {
  return (context) => ({
    all(statement, values) {
      checkContext(context);
      return all(statement, values);
    },
  });
}
