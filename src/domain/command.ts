import type { Int64 } from './values/int64.ts';

/** The types of a write. Its input is plain data, so that another thread can run it, in one transaction with others. */
export interface Command<Input, Ok, Refusal extends string = never> {
  readonly input: Input;
  readonly ok: Ok;
  readonly refusal: Refusal;
}

/** The result of a command. A refused command changed nothing. */
export type Outcome<Ok, Refusal extends string = never> =
  | { readonly ok: Ok }
  | ([Refusal] extends [never] ? never : Refused<Refusal>);

/** Why a command was refused, and the id of the record that prevented it, if any. */
export interface Refused<Refusal extends string> {
  readonly refused: Refusal;
  readonly blockedBy?: Int64;
}
