import { createAnimalStore } from '../../client/src/store.ts';
import { createTransport } from '../../client/src/transport.ts';
import { consoleOperations } from '../../console/src/contract.ts';
import type { Service } from '../../console/src/import/run/import-record.ts';
import { type ConsoleSession, consoleOrigin } from './console-session.ts';

/** Sends a request on, or loses it or its answer. */
export type Line = (path: string, send: () => Promise<Response>) => Promise<Response>;

/** The calls of a page of the console, which is in no browser. */
export function openConsoleService(
  session: ConsoleSession,
  line: Line = (_path, send) => send(),
): Service {
  const baseUrl = `${consoleOrigin}/console/v1`;
  const throughLine = (url: string, init?: RequestInit) => {
    const path = url.slice(consoleOrigin.length);
    return line(path, () => session.send(path, init));
  };
  // The client calls it with the text of a URL.
  const fetch = Object.assign(
    (input: string | URL | Request, init?: RequestInit) => throughLine(String(input), init),
    { preconnect: () => {} },
  );
  const transport = createTransport({ baseUrl, fetch });
  return {
    api: createAnimalStore({ baseUrl, fetch }),
    async callConsole(id, input, options) {
      const { method, path } = consoleOperations[id];
      const { parameters = {}, query, body } = Object(input);
      const named = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(parameters[name]));
      const call = { method, path: named, query, body };
      return Object((await transport.call({ ...call, options })).value);
    },
  };
}
