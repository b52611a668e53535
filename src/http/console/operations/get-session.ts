import { defineConsole } from '../console-operation.ts';
import { describeSession, sessionSchema } from './session-schema.ts';

export const getSession = defineConsole({
  operationId: 'getSession',
  method: 'GET',
  path: '/session',
  summary: 'Returns the session of the cookie.',
  access: 'session',
  success: { httpStatus: 200, schema: sessionSchema },
  handle: async ({ session, now }, services) => ({
    value: await describeSession(services, session, now),
  }),
});
