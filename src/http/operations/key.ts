import { z } from 'zod';
import {
  apiKeyEnd,
  apiKeyNameLengthMax,
  environments,
  operatorApiKeyId,
  scopes,
} from '../../domain/access/api-key.ts';
import { exactInteger } from '../../domain/values/exact-json.ts';
import { assignedIdMax } from '../../domain/values/int64.ts';
import { workspaceGone } from '../access/authenticate.ts';
import { defineRead, ok } from '../define-operation.ts';
import { describedText, int64Schema } from './schemas.ts';

const example = {
  id: 3,
  name: 'Website',
  scopes: ['pets:read', 'orders:write'],
  workspace: 'default',
  environment: 'production',
  lastUsedAt: '2026-11-27T13:33:00.000Z',
};

const keySchema = z
  .object({
    id: int64Schema.meta({
      description:
        'The number of the key, as in the `actor` of its events. The key of the operator is 0.',
      override: { minimum: 0, maximum: Number(assignedIdMax) },
      examples: [example.id],
    }),
    name: describedText(
      'The name of the key; `operator` for the key of the operator.',
      example.name,
      {
        maxLength: apiKeyNameLengthMax,
      },
    ),
    // Not closed: clients are to expect more.
    scopes: z
      .array(z.string())
      .max(100)
      .meta({
        description: `What the key may do: ${scopes.map((scope) => `\`${scope}\``).join(', ')}. New values may be added.`,
        examples: [example.scopes],
      }),
    workspace: describedText(
      'The name of the workspace whose records the key reads and writes.',
      example.workspace,
    ),
    environment: describedText(
      `The environment of the server: ${environments.map((name) => `\`${name}\``).join(', ')}.`,
      example.environment,
    ),
    expiresAt: describedText(
      'When the key ends. Absent if it has no end.',
      '2027-02-25T13:33:05.123Z',
      { format: 'date-time' },
    ).optional(),
    lastUsedAt: describedText(
      'The minute of the last use that is stored. Absent for a key that was not used before, and for the key of the operator.',
      example.lastUsedAt,
      { format: 'date-time' },
    ).optional(),
  })
  .meta({ id: 'Key', description: 'The API key of the request, without its secret.' });

const keyTag = { name: 'key', description: 'The API key of the request.' };

/** Only for keys: a session of an owner has none. */
export const getKey = defineRead({
  operationId: 'getKey',
  tag: keyTag,
  path: '/key',
  summary: 'Get the key of the request',
  description: 'What the key of this request is: its name, its scopes, its workspace and its end.',
  stability: 'beta',
  successes: [ok('The key.', keySchema, example)],
  async handle(context, _input, reads, { caller }) {
    const { apiKeyId, workspaceName: workspace, scopes } = caller;
    const environment = (await reads.readEnvironment(context)) ?? environments[0];
    const common = { scopes, workspace, environment };
    if (apiKeyId === operatorApiKeyId) return { body: { id: 0, name: 'operator', ...common } };
    const apiKey =
      apiKeyId === undefined ? undefined : await reads.findApiKeyById(context, apiKeyId);
    if (apiKey === undefined) return workspaceGone;
    const { id, name, lastUsedAt } = apiKey;
    const times = { expiresAt: formatTime(apiKeyEnd(apiKey)), lastUsedAt: formatTime(lastUsedAt) };
    return { body: { id: exactInteger(id), name, ...common, ...times } };
  },
});

/** Undefined for a time that is not known or never comes. */
function formatTime(milliseconds = Number.POSITIVE_INFINITY): string | undefined {
  return Number.isFinite(milliseconds) ? new Date(milliseconds).toISOString() : undefined;
}
