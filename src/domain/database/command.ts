import type { Int64 } from '../values/int64.ts';

/** A change of the data, as plain data, so that it can be carried to where it is made and share a commit with others. */
export interface Command<Input, Ok, Refusal extends string = never> {
  readonly input: Input;
  readonly ok: Ok;
  readonly refusal: Refusal;
}

/** What became of a command: it was done, or it could not be and nothing was changed. */
export type Outcome<Ok, Refusal extends string = never> =
  | { readonly ok: Ok }
  | ([Refusal] extends [never] ? never : Refused<Refusal>);

/** Why a command could not be done, and the id of the record that stands in its way, where there is one. */
export interface Refused<Refusal extends string> {
  readonly refused: Refusal;
  readonly about?: Int64;
}
