import { describe, expect, test } from 'bun:test';
import { documentedOperations } from '../support/published-document.ts';
import { sendFromSchema } from './schema.ts';

/** `npm run test:hostile -- --only schema --long` sends a hundred times as many. */
const count = 1000;

describe('a request made from the published document', () => {
  const kinds = documentedOperations.flatMap((operation) => [
    ['done', 'allowed', operation.operationId, operation, 'valid'] as const,
    ['refused', 'not allowed', operation.operationId, operation, 'invalid'] as const,
  ]);

  test.each(kinds)(
    'is %s if it is %s by %s, and has a documented answer',
    async (_done, _allowed, _operationId, operation, kind) => {
      const { sent, wrong } = await sendFromSchema(operation, kind, count);
      expect(wrong).toBeUndefined();
      expect(sent).toBeGreaterThanOrEqual(count);
    },
  );
});
