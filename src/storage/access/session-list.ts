import { operatorApiKeyId } from '../../domain/access/api-key.ts';
import {
  type ConsoleSessionFilter,
  type ListedConsoleSession,
  type SessionsOf,
  sessionIdOf,
} from '../../domain/access/console-session.ts';
import type { PageAfterItem } from '../../domain/page.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import type { Int64 } from '../../domain/values/int64.ts';
import type { Queryable } from '../queryable.ts';
import { cutPage } from '../records/pages.ts';
import { type Statement, statement } from '../statement.ts';
import { isActiveApiKey } from './api-keys.ts';

interface ListedRow {
  readonly digest: string;
  readonly workspaceName: string;
  readonly apiKeyDigest: string | undefined;
  readonly apiKeyId: Int64 | null;
  readonly apiKeyName: string | undefined;
  readonly signedInAt: number;
  readonly lastActiveAt: number;
  readonly expiresAt: number;
  readonly apiKeyEndsAt: number | undefined;
  readonly address: string | undefined;
}

// A session whose key was revoked or has expired is none. A digest that no key has is that of the operator's own key.
function selectNewest(where: string): string {
  return `
    SELECT console_tokens.digest, workspaces.name AS "workspaceName", api_key_digest AS "apiKeyDigest",
      api_keys.id AS "apiKeyId", api_keys.name AS "apiKeyName", console_tokens.created_at AS "signedInAt",
      last_active_at AS "lastActiveAt", console_tokens.expires_at AS "expiresAt",
      CASE WHEN revoked_at < api_keys.expires_at THEN revoked_at ELSE coalesce(api_keys.expires_at, revoked_at) END
        AS "apiKeyEndsAt", address
    FROM console_tokens
      JOIN workspaces ON workspaces.id = console_tokens.workspace_id
      LEFT JOIN api_keys ON api_keys.digest = api_key_digest
    WHERE is_link = 0 AND console_tokens.expires_at > $1 AND (api_keys.id IS NULL OR (${isActiveApiKey}))
      AND (console_tokens.created_at, console_tokens.digest) < (CAST($2 AS bigint), CAST($3 AS text)) AND ${where}
    ORDER BY console_tokens.created_at DESC, console_tokens.digest DESC LIMIT $4`;
}

const select = (text: string): Statement<ListedRow> =>
  statement(text, [
    ...(['apiKeyDigest', 'apiKeyName', 'signedInAt', 'lastActiveAt'] as const),
    ...(['expiresAt', 'apiKeyEndsAt', 'address'] as const),
  ]);

const ofOwners = 'api_key_digest IS NULL';
const ofWorkspaceKeys = 'console_tokens.workspace_id = $5 AND api_key_digest IS NOT NULL';

/** A statement for each list, so that each one reads only its own rows of an index. */
export const sessionLists = {
  ofOwners: select(selectNewest(ofOwners)),
  ofKey: select(selectNewest('api_key_digest = $5')),
  // Each part is ordered and limited before they are merged.
  ofOwnersAndKeys: select(
    `SELECT * FROM (${selectNewest(ofOwners)}) AS owners UNION ALL
    SELECT * FROM (${selectNewest(ofWorkspaceKeys)}) AS holders
    ORDER BY "signedInAt" DESC, digest DESC LIMIT $4`,
  ),
  // Only the command line lists all sessions.
  ofAll: select(
    selectNewest(
      '(CAST($5 AS text) IS NULL OR (workspaces.name = $5 AND api_key_digest IS NOT NULL))',
    ),
  ),
  /** Those whose digests are in a range. */
  ofDigests: select(selectNewest('console_tokens.digest >= $5 AND console_tokens.digest < $6')),
};

export function listConsoleSessions(
  queryable: Queryable,
  filter: ConsoleSessionFilter,
): Awaitable<PageAfterItem<ListedConsoleSession>> {
  const { now, limit, after } = filter;
  const before = [after?.signedInAt ?? Number.MAX_SAFE_INTEGER, after?.id ?? ''];
  const [list, ...values] = chooseList(filter.of);
  return andThen(queryable.all(list, [now, ...before, limit + 1, ...values]), (rows) =>
    cutPage(rows.map(toListed), limit),
  );
}

function chooseList(of: SessionsOf): [Statement<ListedRow>, ...(Int64 | string | null)[]] {
  switch (of.whose) {
    case 'key':
      return [sessionLists.ofKey, of.apiKeyDigest];
    case 'owners':
      return [sessionLists.ofOwners];
    case 'owners_and_keys':
      return [sessionLists.ofOwnersAndKeys, of.workspaceId];
    case 'id':
      // The last character is above all hexadecimal digits.
      return [sessionLists.ofDigests, of.id, `${of.id}g`];
    case 'all':
      return [sessionLists.ofAll, of.workspaceName ?? null];
  }
}

function toListed({ apiKeyId, apiKeyName, apiKeyEndsAt, ...row }: ListedRow): ListedConsoleSession {
  const apiKey = { id: apiKeyId ?? operatorApiKeyId, name: apiKeyName };
  const isOwner = row.apiKeyDigest === undefined;
  return {
    ...row,
    id: sessionIdOf(row.digest),
    workspaceName: isOwner ? undefined : row.workspaceName,
    apiKey: isOwner ? undefined : apiKey,
    expiresAt: Math.min(row.expiresAt, apiKeyEndsAt ?? row.expiresAt),
  };
}
