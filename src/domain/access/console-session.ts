import type { Command } from '../command.ts';
import type { PageAfterItem } from '../page.ts';
import type { Awaitable } from '../values/awaitable.ts';
import type { Context } from '../values/context.ts';
import type { Int64 } from '../values/int64.ts';
import type { ApiKey } from './api-key.ts';
import type { Workspace } from './workspace.ts';

/** How long a link is valid. It signs in once. */
export const linkMilliseconds = 5 * 60_000;

/** A session of the console ends this long after the last action of its user. */
export const sessionMilliseconds = 12 * 3_600_000;

/** A session ends this long after sign-in at the latest, even if it is used. */
export const sessionMillisecondsMax = 7 * 24 * 3_600_000;

/** An owner of the data signs in with a link, others with an API key. */
export type SignInKind = 'owner' | 'api_key';

/** A signed-in session of the console. */
export interface ConsoleSession {
  /** The name of the session in the log and the audit trail. */
  readonly id: string;
  readonly workspace: Pick<Workspace, 'id' | 'name'>;
  /** Times are milliseconds since 1970. */
  readonly createdAt: number;
  readonly lastActiveAt: number;
  readonly expiresAt: number;
  /** The key that signed in; undefined for an owner. */
  readonly apiKeyDigest: string | undefined;
  /** The present state of that key; undefined for an owner, or if the key is not stored. */
  readonly apiKey: ApiKey | undefined;
}

/** The first 16 hexadecimal digits of the digest of the token. They identify a session, and cannot be used to sign in. */
export function sessionIdOf(digest: string): string {
  return digest.slice(0, 16);
}

/** Whether a text has the form of a session's id. */
export function isSessionId(text: string): boolean {
  return /^[0-9a-f]{16}$/.test(text);
}

/** A session that has not ended, as an item of a list. */
export interface ListedConsoleSession {
  readonly id: string;
  /** The SHA-256 of its token, in hexadecimal. It is never shown. */
  readonly digest: string;
  /** That of the key that signed in; undefined for an owner. It is never shown. */
  readonly apiKeyDigest: string | undefined;
  /** That of the key; undefined for an owner, who has every workspace. */
  readonly workspaceName: string | undefined;
  /** The key that signed in, without a name if it is the operator's own; undefined for an owner. */
  readonly apiKey: { readonly id: Int64; readonly name: string | undefined } | undefined;
  /** Milliseconds since 1970. */
  readonly signedInAt: number;
  readonly lastActiveAt: number;
  /** The end of the session or of its key, whichever is first. */
  readonly expiresAt: number;
  /** The client's address at sign-in; undefined if unknown. */
  readonly address: string | undefined;
}

/** Whose sessions are listed. */
export type SessionsOf =
  /** With a name, those of the keys of this workspace. */
  | { readonly whose: 'all'; readonly workspaceName?: string | undefined }
  | { readonly whose: 'owners' }
  | { readonly whose: 'key'; readonly apiKeyDigest: string }
  /** All owners, because an owner has every workspace, and the keys of this workspace. */
  | { readonly whose: 'owners_and_keys'; readonly workspaceId: Int64 }
  /** The one session with this id. */
  | { readonly whose: 'id'; readonly id: string };

/** How many sessions one command ends at most, so that other writes do not wait long. */
export const endedSessionsMax = 200;

export interface ConsoleSessionFilter {
  readonly of: SessionsOf;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly limit: number;
  /** The page begins after this session; undefined for the first page. */
  readonly after?: Pick<ListedConsoleSession, 'id' | 'signedInAt'> | undefined;
}

export interface ConsoleReads {
  /** Whether a link with this SHA-256, in hexadecimal, can sign in at this time. */
  hasConsoleLink(context: Context, digest: string, now: number): Awaitable<boolean>;
  /**
   * Finds a session by the SHA-256 of its token, in hexadecimal, even if it has expired. Undefined if it or its workspace does
   * not exist.
   */
  findConsoleSession(context: Context, digest: string): Awaitable<ConsoleSession | undefined>;
  /** Returns those of the digests that belong to sessions, in one query. */
  filterConsoleSessions(context: Context, digests: readonly string[]): Awaitable<readonly string[]>;
  /** Sessions that have not ended, newest first. */
  listConsoleSessions(
    context: Context,
    filter: ConsoleSessionFilter,
  ): Awaitable<PageAfterItem<ListedConsoleSession>>;
}

/** The stored data of a token. `digest` is its SHA-256, in hexadecimal; times are milliseconds since 1970. */
interface NewToken {
  readonly digest: string;
  readonly now: number;
  readonly expiresAt: number;
}

interface NewSession extends NewToken {
  /** The digest of an earlier session of the same browser, which ends. */
  readonly replaces: string | undefined;
  /** The client's address; undefined if unknown. */
  readonly address: string | undefined;
}

/** The last action in a session, and the resulting end of the session, in milliseconds since 1970. */
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
  /** Uses up a link. A second sign-in with it is rejected. */
  openOwnerSession: Command<NewSession & { readonly linkDigest: string }, null, 'link_not_valid'>;
  /** The session ends with its key. The operator's own key has the id 0 and is not stored. */
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
  /** Moves the ends of sessions. Repeating it changes nothing. */
  saveSessionActivities: Command<{ readonly activities: readonly SessionActivity[] }, null>;
  /** Does nothing if the session does not exist. */
  closeConsoleSession: Command<{ readonly digest: string }, null>;
  /** Ends those of these sessions that have not ended, and returns their ids. `endedBy` is the session of the console that does it. */
  endConsoleSessions: Command<
    { readonly digests: readonly string[]; readonly now: number; readonly endedBy?: string },
    readonly string[]
  >;
  /** Deletes a limited number of expired links and sessions, so that other writes do not wait long. Returns the number. */
  deleteExpiredConsoleTokens: Command<{ readonly now: number; readonly tokensMax: number }, number>;
}
