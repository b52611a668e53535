import { sessionMilliseconds } from '../../../domain/access/console.ts';
import { defineConsole } from '../console-operation.ts';
import { describeEnd, sessionEndSchema } from './session-schema.ts';

/** Reports that come sooner after the last one are ignored, so that a session costs at most one write in this time. */
const reportMillisecondsMin = 60_000;

export const reportActivity = defineConsole({
  operationId: 'reportActivity',
  method: 'POST',
  path: '/session/activity',
  summary: 'Reports an action of the user, which moves the end of the session.',
  access: 'session',
  success: { httpStatus: 200, schema: sessionEndSchema },
  handle({ session, now }, { uses }) {
    const { digest, lastActiveAt, validUntilMax } = session;
    if (now - lastActiveAt < reportMillisecondsMin) return { value: describeEnd(session, now) };
    const expiresAt = Math.min(now + sessionMilliseconds, validUntilMax);
    uses.noteSessionActivity({ digest, lastActiveAt: now, expiresAt });
    return { value: describeEnd({ ...session, lastActiveAt: now, validUntil: expiresAt }, now) };
  },
});
