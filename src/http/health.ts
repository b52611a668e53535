import type { Database } from '../domain/database.ts';
import { fail } from '../domain/error.ts';
import { defaultWorkspaceName } from '../domain/workspace.ts';
import type { Answer } from './answer.ts';
import type { Responder } from './app.ts';
import type { Endpoint } from './router.ts';

interface Health {
  readonly database: Database;
  readonly isDraining: () => boolean;
}

/** `/livez`: the process answers. `/readyz`: it can do its work, so traffic may be sent to it. */
export function healthEndpoints({ database, isDraining }: Health): Endpoint<Responder>[] {
  return [
    { method: 'GET', path: '/livez', value: () => ok },
    {
      method: 'GET',
      path: '/readyz',
      async value() {
        if (isDraining()) return unready('The service is shutting down');
        const workspace = await database.findWorkspace(defaultWorkspaceName);
        return workspace === undefined ? unready('The database holds no workspace') : ok;
      },
    },
  ];
}

const ok: Answer = {
  httpStatus: 200,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  body: 'ok\n',
};

function unready(message: string) {
  return fail('unavailable', message, { 'retry-after': '1' });
}
