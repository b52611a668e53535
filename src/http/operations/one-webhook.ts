import { z } from 'zod';
import type { Int64 } from '../../domain/values/int64.ts';
import { fail } from '../failure.ts';
import { idParameter } from './schemas.ts';

const tag = {
  name: 'webhooks',
  description: 'Endpoints of yours that receive the events, signed as Standard Webhooks describes.',
};
const scope = 'webhooks:manage';
/** What all operations on webhooks share. */
export const allWebhooks = { tag, scope, path: '/webhooks', stability: 'beta' } as const;

/** What the operations on one webhook share. */
export const oneWebhook = {
  ...allWebhooks,
  path: '/webhooks/{webhookId}',
  pathParameters: z.object({
    webhookId: idParameter('webhook'),
  }),
  noun: 'webhook',
} as const;

export const noSuchWebhook = (id: Int64) => fail('not_found', `There is no webhook ${id}`);
