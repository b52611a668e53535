import type { BlockList } from 'node:net';
import type { Environment } from '../../domain/access/api-key.ts';
import type { CommandWriter } from '../../domain/database/commands.ts';
import type { Reads } from '../../domain/database/registry.ts';
import type { HideApiKeys } from '../../domain/echo.ts';
import type { ApiKeyUses } from '../access/api-key-uses.ts';
import type { FindApiKey } from '../access/authenticate.ts';
import type { Sessions } from './find-session.ts';
import type { SignInLimit } from './sign-in-limit.ts';

/** What the operations of the console work with. */
export interface ConsoleServices {
  readonly database: Reads & CommandWriter;
  readonly environment: Environment;
  readonly hideApiKeys: HideApiKeys;
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: BlockList | undefined;
  readonly findApiKey: FindApiKey;
  readonly limitSignIns: SignInLimit;
  readonly sessions: Sessions;
  readonly uses: Pick<ApiKeyUses, 'noteSessionActivity'>;
}
