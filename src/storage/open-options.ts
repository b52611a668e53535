import type { CommandQueueLimits } from './commands/command-queue.ts';
import type { CreateData } from './contract/create-data.ts';
import { type Migrated, schemaVersion } from './schema/prepare-schema.ts';

/** How every engine opens a database to write to. */
export interface OpenOptions {
  /** A server migrates the data. Commands reject data of an older version. */
  readonly asServer: boolean;
  /** Rejects a database without data. */
  readonly mustExist?: boolean;
  /** Whether to create data if there is none; `auto` by default. */
  readonly createData?: CreateData;
  /** Runs before data is created or migrated, and prevents this if it rejects. */
  readonly beforeChange?: () => Promise<void>;
  /** Called after data was created, perhaps in an existing empty file. */
  readonly onMade?: (wasEmptyFile?: boolean) => void;
  /** Called after data of an older version was migrated. */
  readonly onMigrated?: (versions: Migrated) => void;
  /** Receives lines for the operator about findings and changes. */
  readonly report?: (line: string) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly limits?: Partial<CommandQueueLimits>;
}

/** Reports what the opening of data changed. `from` is the schema version before, 0 for new data. */
export function reportPrepared(
  from: number,
  { onMade, onMigrated }: Pick<OpenOptions, 'onMade' | 'onMigrated'>,
  wasEmptyFile?: boolean,
): void {
  if (from === 0) onMade?.(wasEmptyFile);
  else if (from < schemaVersion) onMigrated?.({ from, to: schemaVersion });
}

/** What an operator can do if there is no data and `never` was chosen. */
export const createAdvice =
  'mount its disk, restore a backup, or create data with animal-store keys create --name NAME --create-data auto';
