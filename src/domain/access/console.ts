import type { Command } from '../database/command.ts';
import type { Awaitable } from '../values/awaitable.ts';
import type { Int64 } from '../values/int64.ts';
import type { ApiKey } from './api-key.ts';
import type { Workspace } from './workspace.ts';

/** From when a link is made. It signs in once. */
export const linkMilliseconds = 5 * 60_000;

/** A session of the console ends this long after the last action of its user. */
export const sessionMilliseconds = 12 * 3_600_000;

/** It ends this long after sign-in at the latest. */
export const sessionMillisecondsMax = 7 * 24 * 3_600_000;

/** As whom somebody signs in: whoever has the data, by a link, or whoever has a key. */
export type SignInKind = 'owner' | 'api_key';

/** Somebody who is signed in to the console: an owner of the data, or whoever has a key. */
export interface ConsoleSession {
  /** By which the log and the audit trail name it. */
  readonly id: string;
  readonly workspace: Pick<Workspace, 'id' | 'name'>;
  /** When it was opened, in milliseconds since 1970, as the other times. */
  readonly createdAt: number;
  readonly lastActiveAt: number;
  readonly expiresAt: number;
  /** Of the key that was given to sign in; undefined for an owner. */
  readonly apiKeyDigest: string | undefined;
  /** That key as it is now; undefined for an owner, and where no such key is stored. */
  readonly apiKey: ApiKey | undefined;
}

/** The first 16 hexadecimal digits of the digest of its token: enough to tell sessions apart, and of no use to sign in. */
export function sessionIdOf(digest: string): string {
  return digest.slice(0, 16);
}

export interface ConsoleReads {
  /** Whether a link that has this SHA-256, in hexadecimal, can sign in at this time. */
  hasConsoleLink(digest: string, now: number): Awaitable<boolean>;
  /**
   * Looks a session up by the SHA-256 of its token, in hexadecimal; one that has expired is found too. Undefined where there is
   * none, or its workspace is gone.
   */
  findConsoleSession(digest: string): Awaitable<ConsoleSession | undefined>;
  /** Returns the digests that sessions have, in one query. */
  filterConsoleSessions(digests: readonly string[]): Awaitable<readonly string[]>;
}

/** Whether a text can be the id of a session at all. */
export function isSessionId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

/** A session that has not ended, as a list has it. */
export interface ListedConsoleSession {
  readonly id: string;
  readonly workspaceName: string;
  /** The key that was given, without a name if it is the operator's own; undefined for an owner. */
  readonly apiKey: { readonly id: Int64; readonly name: string | undefined } | undefined;
  /** Milliseconds since 1970. */
  readonly signedInAt: number;
  readonly lastActiveAt: number;
  /** Of the session or of its key, whichever ends first. */
  readonly expiresAt: number;
}

interface ConsoleSessionFilter {
  /** The workspace that the session is in now; undefined for any. */
  readonly workspaceName: string | undefined;
  readonly now: number;
  readonly sessionsMax: number;
  /** The last session of the page before; undefined for the first page. */
  readonly after?: Pick<ListedConsoleSession, 'id' | 'signedInAt'> | undefined;
}

export interface ConsoleSessionReads {
  /** Sessions that have not ended, newest first. */
  listConsoleSessions(filter: ConsoleSessionFilter): Awaitable<readonly ListedConsoleSession[]>;
}

/** What is stored of a token. `digest` is its SHA-256, in hexadecimal; times are milliseconds since 1970. */
interface NewToken {
  readonly digest: string;
  readonly now: number;
  readonly expiresAt: number;
}

interface NewSession extends NewToken {
  /** The digest of a session that ends with this, which the same browser had. */
  readonly replaces: string | undefined;
  /** Of the client; undefined where it is not known. */
  readonly address: string | undefined;
}

/** The last action in a session, and when the session ends because of it, in milliseconds since 1970. */
export interface SessionActivity {
  readonly digest: string;
  readonly lastActiveAt: number;
  readonly expiresAt: number;
}

export interface ConsoleCommands {
  createConsoleLink: Command<
    NewToken & { readonly workspaceName: string },
    null,
    'no_such_workspace'
  >;
  /** Spends a link: whoever comes with it again is refused. */
  openOwnerSession: Command<
    NewSession & { readonly linkDigest: string },
    Pick<Workspace, 'id' | 'name'>,
    'link_not_valid'
  >;
  /** The session ends with its key. A key of the operator's own has the id 0, and is stored nowhere. */
  openApiKeySession: Command<
    NewSession & {
      readonly apiKey: {
        readonly id: Int64;
        readonly digest: string;
        readonly workspaceId: Int64;
        readonly workspaceName: string;
      };
    },
    null
  >;
  /** Of an owner, who may go to any workspace. */
  chooseConsoleWorkspace: Command<
    { readonly digest: string; readonly workspaceName: string },
    null,
    'no_such_workspace' | 'no_such_session'
  >;
  /** Moves the ends of sessions. Running it twice changes nothing more. */
  recordSessionActivities: Command<{ readonly activities: readonly SessionActivity[] }, null>;
  /** Does nothing where there is none. */
  closeConsoleSession: Command<{ readonly digest: string }, null>;
  /** Ends those of these ids that have not ended, and gives their ids. */
  endConsoleSessions: Command<
    { readonly sessions: readonly string[]; readonly now: number },
    readonly string[]
  >;
  /** Forgets links and sessions that have expired, at most so many, so that it holds nobody up; gives how many. */
  deleteExpiredConsoleTokens: Command<{ readonly now: number; readonly tokensMax: number }, number>;
}
