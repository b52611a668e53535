import type { ApiKey, Environment, Scope } from './api-key.ts';
import type { AuditEntry } from './audit.ts';
import type { Histogram } from './histogram.ts';
import type { Int64 } from './int64.ts';
import type { PageRequest } from './page.ts';
import type { NewPet, Pet } from './pet.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Workspace } from './workspace.ts';

/** A value now where the engine has it at hand, or later where it must be fetched; `await` takes both. */
export type Awaitable<Value> = Value | Promise<Value>;

/** One page, newest first. `more` tells whether animals that match lie beyond it. */
export interface Page {
  readonly pets: readonly Pet[];
  readonly more: boolean;
}

/**
 * What storage promises. Every engine passes the same suite of tests (`test/database-suite.ts`).
 *
 * - A write that returned is on disk: it survives the death of the process and of the machine.
 * - A write that failed changed nothing.
 * - A read sees every write that returned before it began, whichever process made it.
 * - Ids of animals rise with the order of commits within a workspace, count from 1, and are never reused.
 * - Every integer and every character comes back as it was given.
 *
 * All methods throw `DatabaseUnavailable` when storage cannot be reached, is full, or is too slow.
 */
export interface Database extends AsyncDisposable {
  /**
   * A number that changes whenever anything was committed, by any process, before it was asked for; an engine that is
   * a server of its own may take as long as its bound of staleness to see other processes' commits. It is cheap: what
   * was read under a number may be given again while the number stays.
   */
  freshness(): number;
  /** A number that changes with every change of a workspace's animals; below 0 where it does not exist. */
  readRevision(workspaceId: Int64): Awaitable<number>;
  /** The animals of one workspace that match, as they stood at one moment. */
  readPage(workspaceId: Int64, request: PageRequest): Awaitable<Page>;
  readPet(workspaceId: Int64, id: Int64): Awaitable<Pet | undefined>;
  /** Looks a key up by the SHA-256 of its text, in hexadecimal; expired and revoked ones are found too. */
  findApiKey(digest: string): Awaitable<ApiKey | undefined>;
  /** All keys ever made, oldest first, of one workspace or of all. */
  listApiKeys(workspaceName?: string): Awaitable<readonly ApiKey[]>;
  /** Whether a key was ever made here, also where it is gone since. */
  hasHadApiKey(): Awaitable<boolean>;
  /** Who called what is going away, the latest call first. */
  listDeprecatedCalls(): Awaitable<readonly DeprecatedCalls[]>;
  /** The audit trail, oldest first. */
  listAuditEntries(): Awaitable<readonly AuditEntry[]>;
  /** By name, all or one. Counts every animal, which may take long. */
  listWorkspaces(name?: string): Awaitable<readonly WorkspaceSummary[]>;
  findWorkspace(name: string): Awaitable<Workspace | undefined>;
  /** Runs one command in a transaction, alone or beside others, and returns once it is on disk. */
  write<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
  ): Promise<CommandOutput<Name>>;
  /**
   * The same, at most once: where a command ran under this key before, its output of then is given again and
   * nothing runs. The key is stored in the command's own transaction, so no crash comes between.
   */
  writeOnce<Name extends CommandName>(
    name: Name,
    input: CommandInput<Name>,
    once: OnceKey,
  ): Promise<WrittenOnce<CommandOutput<Name>>>;
  /** Settles when nothing can be written any more, for good: the process should end and start anew. */
  readonly broken: Promise<Error>;
  /** What storage is doing and has done since it was opened. Nothing is read from it for this. */
  statistics(): Awaitable<DatabaseStatistics>;
}

/** For whoever watches over a server. */
export interface DatabaseStatistics {
  /** Commands that wait for those before them. */
  readonly commandsWaiting: number;
  readonly commits: CommitStatistics;
  /** Of an engine that keeps the data in a file. */
  readonly file?: FileStatistics;
  /** Of an engine that is reached by connections: those that this process has. */
  readonly pool?: PoolStatistics;
}

export interface FileStatistics {
  readonly bytes: number;
  /** Of the write-ahead log beside it. */
  readonly logBytes: number;
  /** What this process may still write to the file system that it is on. */
  readonly freeBytes: number;
}

export interface CommitStatistics {
  /** Seconds from when commands that go together set out until it was known what became of them. */
  readonly seconds: Histogram;
  /** How many went together. */
  readonly commands: Histogram;
}

export interface PoolStatistics {
  readonly connections: number;
  /** Those of them that nobody uses now. */
  readonly idle: number;
  /** Those who wait for one. */
  readonly waiting: number;
}

/** Under which a command runs at most once, until it expires. Times are milliseconds since 1970. */
export interface OnceKey {
  readonly workspaceId: Int64;
  /** Keys of different operations do not meet. */
  readonly operationId: string;
  readonly key: string;
  /** Digest of what was asked, in hexadecimal: the same key for something else is a mistake. */
  readonly requestDigest: string;
  readonly now: number;
  readonly expiresAt: number;
}

/** `key_reused` when the key was used for something else. */
export type WrittenOnce<Output> =
  | { readonly output: Output; readonly replayed: boolean }
  | 'key_reused';

export interface WorkspaceSummary extends Workspace {
  readonly petCount: number;
  readonly activeApiKeyCount: number;
}

/** What is stored of a new key. `digest` is the SHA-256 of its text, in hexadecimal. */
export interface NewApiKey {
  readonly name: string;
  readonly digest: string;
  readonly lastFour: string;
  readonly scopes: readonly Scope[];
  readonly rateLimit: RateLimit | undefined;
  readonly expiresAt: number | undefined;
}

/** A key that was rotated, with its end as it is now, and the one in its place. */
export interface RotatedApiKey {
  readonly replaced: ApiKey;
  readonly replacement: ApiKey;
}

/** How one key was used since the last record of it. Times are milliseconds since 1970. */
export interface ApiKeyUse {
  readonly apiKeyId: Int64;
  readonly lastUsedAt: number;
  readonly deprecatedCalls: readonly OperationCalls[];
}

/** How often an operation was called, and when last, in milliseconds since 1970. */
export interface OperationCalls {
  readonly operationId: string;
  readonly count: number;
  readonly lastCalledAt: number;
}

/** One key's calls of an operation that is going away, since the store was made. */
export interface DeprecatedCalls extends OperationCalls {
  readonly apiKeyId: Int64;
  /** Undefined for the key that the operator gives in the environment, which is not stored. */
  readonly apiKey: { readonly name: string; readonly workspaceName: string } | undefined;
}

/** The key that the operator gives in the environment is stored nowhere; its use is counted under this id. */
export const operatorApiKeyId: Int64 = 0n;

/**
 * Everything that can be written, as data, so that an engine may carry a command to where it writes and
 * commit many together. Each is all or nothing. Those that change a key or a workspace add to the audit trail. `now` is in milliseconds since 1970.
 */
export interface Commands {
  /** Undefined when the workspace was deleted meanwhile. */
  createPet: {
    input: { readonly workspaceId: Int64; readonly pet: NewPet };
    output: Pet | undefined;
  };
  /** Many at once, in order; returns how many, which is none when the workspace was deleted meanwhile. */
  createPets: {
    input: { readonly workspaceId: Int64; readonly pets: readonly NewPet[] };
    output: number;
  };
  createWorkspace: {
    input: { readonly name: string; readonly now: number };
    output: Workspace | 'name_taken';
  };
  /**
   * Deletes a workspace in steps, so that a large one holds nobody up: the first step deletes its API keys,
   * each step at most `rowsMax` animals and as many answers kept for an `Idempotency-Key`, and the last one
   * the workspace, which is then `gone`.
   */
  deleteWorkspaceStep: {
    input: { readonly workspaceId: Int64; readonly rowsMax: number; readonly now: number };
    output: { readonly petsDeleted: number; readonly gone: boolean };
  };
  /** The environment whose data this is: the one first claimed, whatever is claimed later. */
  claimEnvironment: {
    input: { readonly environment: Environment };
    output: Environment;
  };
  /** Writes and changes nothing: it shows whether anything can be written. */
  touchStore: {
    input: Record<string, never>;
    output: null;
  };
  createApiKey: {
    input: { readonly workspaceName: string; readonly apiKey: NewApiKey; readonly now: number };
    output: ApiKey | 'no_such_workspace';
  };
  /** Makes a key for workspace `default` when the store has never had any; else it is undefined. */
  createFirstApiKey: {
    input: { readonly apiKey: NewApiKey; readonly now: number };
    output: ApiKey | undefined;
  };
  /** A new key with the name, scopes and expiry of an active one, which is revoked after the overlap. */
  rotateApiKey: {
    input: {
      readonly id: Int64;
      readonly digest: string;
      readonly lastFour: string;
      readonly overlapMilliseconds: number;
      readonly now: number;
    };
    output: RotatedApiKey | 'no_such_key' | 'not_active';
  };
  /** Revoking a revoked key changes nothing, but ends the overlap of a rotated one. */
  revokeApiKey: {
    input: { readonly id: Int64; readonly now: number };
    output: ApiKey | undefined;
  };
  /** Forgets keys that have expired, at most so many, so that it holds nobody up; returns how many. */
  deleteExpiredOnceKeys: {
    input: { readonly now: number; readonly keysMax: number };
    output: number;
  };
  /** Adds to the counts and moves the times forward, never back. */
  recordApiKeyUses: {
    input: { readonly uses: readonly ApiKeyUse[] };
    output: null;
  };
}

export type CommandName = keyof Commands;
export type CommandInput<Name extends CommandName> = Commands[Name]['input'];
export type CommandOutput<Name extends CommandName> = Commands[Name]['output'];

/** Storage cannot do its work now, and did nothing; the same call may succeed later. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
  /** There is no room left to write to. */
  readonly isFull: boolean;
  constructor(message: string, options: ErrorOptions & { readonly isFull?: boolean } = {}) {
    super(message, options);
    this.isFull = options.isFull ?? false;
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
