import type { Environment } from '../access/api-key.ts';
import type { Command } from './command.ts';

/** What can be written about the data as a whole. */
export interface MetaCommands {
  /** The environment whose data this is: the one first claimed, whatever is claimed later. */
  claimEnvironment: Command<{ readonly environment: Environment }, Environment>;
  /** Writes and changes nothing: it shows whether anything can be written. */
  touch: Command<Readonly<Record<string, never>>, null>;
}
