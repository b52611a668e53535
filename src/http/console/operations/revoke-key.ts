import { defineConsole } from '../console-operation.ts';
import { hasKey, keyPath, noSuchKey } from './key-schema.ts';

export const revokeKey = defineConsole({
  operationId: 'revokeKey',
  method: 'DELETE',
  path: '/keys/{keyId}',
  summary: 'Revokes a key.',
  access: 'owner',
  pathParameters: keyPath,
  success: { httpStatus: 204 },
  async handle({ path: { keyId: id }, session, now }, services) {
    if (!(await hasKey(services, session, id))) return noSuchKey(id);
    const { sessionId } = session.caller;
    const outcome = await services.database.write('revokeApiKey', { id, now, sessionId });
    return 'refused' in outcome ? noSuchKey(id) : {};
  },
});
