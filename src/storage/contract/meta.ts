import type { Environment } from '../../domain/access/api-key.ts';
import type { Command } from '../../domain/command.ts';
import type { Awaitable } from '../../domain/values/awaitable.ts';
import type { Context } from '../../domain/values/context.ts';

/** Reads of the data as a whole. */
export interface MetaReads {
  /** The environment of the data; undefined until it was claimed. */
  readEnvironment(context: Context): Awaitable<Environment | undefined>;
}

/** Commands on the data as a whole. */
export interface MetaCommands {
  /** Returns the environment of the data, which is the one that was claimed first. */
  claimEnvironment: Command<{ readonly environment: Environment }, Environment>;
  /** Writes without a change, to check that storage accepts writes. */
  touch: Command<Readonly<Record<string, never>>, null>;
}
