import { defineConsole } from '../console-operation.ts';
import type { ConsoleServices } from '../console-services.ts';
import type { FoundSession } from '../find-session.ts';
import { digestToken } from '../new-token.ts';

export const signOut = defineConsole({
  operationId: 'signOut',
  method: 'DELETE',
  path: '/session',
  summary: 'Ends every session whose cookie the request has. Succeeds without a session.',
  access: 'none',
  success: { httpStatus: 204 },
  handle: async ({ tokens }, services) => ({
    caller: (await closeSessions(services, tokens))?.caller,
    cookie: { token: '', seconds: 0 },
  }),
});

/** More than a browser has of one name, by several paths and hosts. */
const closedMax = 50;

/** Closes the sessions of these tokens, and returns the last of them. */
export async function closeSessions(
  { sessions, database }: ConsoleServices,
  tokens: readonly string[],
): Promise<FoundSession | undefined> {
  let last: FoundSession | undefined;
  for (const token of tokens.slice(0, closedMax)) {
    const digest = digestToken(token);
    const found = await sessions.ofDigest(digest);
    if (found === undefined) continue;
    last = found;
    await database.write('closeConsoleSession', { digest });
  }
  return last;
}
