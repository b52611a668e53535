// Made by `npm run openapi` of the declarations of the service. Do not edit.

/** Names the session and the workspace that a page shows. */
export const sessionHeader = 'x-console-session';

/** The operations that only the console calls. */
export const consoleOperations = {
  getSession: { method: 'GET', path: '/session' },
  signIn: { method: 'POST', path: '/session' },
  chooseWorkspace: { method: 'PATCH', path: '/session' },
  signOut: { method: 'DELETE', path: '/session' },
  reportActivity: { method: 'POST', path: '/session/activity' },
  findWorkspaces: { method: 'GET', path: '/workspaces' },
  listKeys: { method: 'GET', path: '/keys' },
  createKey: { method: 'POST', path: '/keys' },
  rotateKey: { method: 'POST', path: '/keys/{keyId}/rotation' },
  revokeKey: { method: 'DELETE', path: '/keys/{keyId}' },
} as const;

/** Either a link or a key. */
export interface SignIn {
  readonly link?: string | undefined;
  readonly apiKey?: string | undefined;
}

export interface WorkspaceChoice {
  readonly workspace: string;
}

export interface NewKey {
  readonly name: string;
  readonly scopes?: readonly Scope[] | undefined;
  readonly expiresInDays?: bigint | number | undefined;
}

export type Scope = 'pets:read' | 'pets:write' | 'orders:read' | 'orders:write' | 'events:read';

export interface KeyRotation {
  readonly overlapSeconds?: bigint | number | undefined;
}

/** The session of the cookie. */
export interface SessionAnswer {
  readonly id: string;
  /** An owner signed in with a link of the command line, and can manage keys. */
  readonly kind: 'owner' | 'api_key';
  readonly workspace: string;
  readonly environment: 'production' | 'staging';
  readonly scopes: readonly Scope[];
  /** Null for an owner. */
  readonly apiKeyId: number | null;
  readonly apiKeyName: string | null;
  readonly expiresAt: string;
  /** Time until the end. It is right also if the clock of the page is wrong. */
  readonly secondsLeft: number;
  /** Time since the last action that was reported. */
  readonly idleSeconds: number;
  /** Whether an action moves the end. */
  readonly mayContinue: boolean;
  readonly workspaces?: readonly string[] | undefined;
  readonly hasMoreWorkspaces?: boolean | undefined;
}

/** When a session ends. */
export interface SessionEnd {
  readonly expiresAt: string;
  /** Time until the end. It is right also if the clock of the page is wrong. */
  readonly secondsLeft: number;
  /** Time since the last action that was reported. */
  readonly idleSeconds: number;
  /** Whether an action moves the end. */
  readonly mayContinue: boolean;
}

/** The first workspaces, by name. */
export interface WorkspaceNames {
  readonly workspaces: readonly string[];
  readonly hasMoreWorkspaces: boolean;
}

export interface KeyPage {
  readonly keys: readonly Key[];
  /** The parameter `before` of the next page; null on the last page. */
  readonly nextBefore: number | null;
}

/** An API key. Times are null for never. */
export interface Key {
  readonly id: bigint;
  readonly name: string;
  readonly lastFour: string;
  readonly scopes: readonly Scope[];
  readonly state: 'active' | 'expired' | 'revoked';
  /** The earlier of its expiry and the end of its overlap; null if it has no end or is not active. */
  readonly activeUntil: string | null;
  readonly createdAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

/** A new API key. */
export interface CreatedKey {
  readonly id: bigint;
  readonly name: string;
  readonly lastFour: string;
  readonly scopes: readonly Scope[];
  readonly state: 'active' | 'expired' | 'revoked';
  /** The earlier of its expiry and the end of its overlap; null if it has no end or is not active. */
  readonly activeUntil: string | null;
  readonly createdAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  /** The key itself, which no later answer has. */
  readonly key: string;
}

/** What each operation is sent and answers. */
export interface ConsoleCalls {
  /** Returns the session of the cookie. */
  readonly getSession: {
    readonly input: {};
    readonly answer: SessionAnswer;
  };
  /** Exchanges a link or a key for a session, whose cookie the answer sets. */
  readonly signIn: {
    readonly input: { readonly body: SignIn };
    readonly answer: SessionAnswer;
  };
  /** Sets the workspace of the session. */
  readonly chooseWorkspace: {
    readonly input: { readonly body: WorkspaceChoice };
    readonly answer: SessionAnswer;
  };
  /** Ends every session whose cookie the request has. Succeeds without a session. */
  readonly signOut: {
    readonly input: {};
    readonly answer: undefined;
  };
  /** Reports an action of the user, which moves the end of the session. */
  readonly reportActivity: {
    readonly input: {};
    readonly answer: SessionEnd;
  };
  /** Returns the workspaces whose names begin with a text. */
  readonly findWorkspaces: {
    readonly input: { readonly query: { readonly prefix?: string | number | bigint | undefined } };
    readonly answer: WorkspaceNames;
  };
  /** Returns a page of the keys of the workspace, newest first. */
  readonly listKeys: {
    readonly input: { readonly query: { readonly before?: string | number | bigint | undefined } };
    readonly answer: KeyPage;
  };
  /** Creates a key in the workspace. */
  readonly createKey: {
    readonly input: { readonly body: NewKey };
    readonly answer: CreatedKey;
  };
  /** Creates a key in the place of another, which is revoked after an overlap. */
  readonly rotateKey: {
    readonly input: { readonly parameters: { readonly keyId: string | number | bigint }; readonly body: KeyRotation };
    readonly answer: CreatedKey;
  };
  /** Revokes a key. */
  readonly revokeKey: {
    readonly input: { readonly parameters: { readonly keyId: string | number | bigint } };
    readonly answer: undefined;
  };
}
