import type { Responder } from './request-context.ts';
import type { Meter } from './request-log.ts';

/** Answers the requests for one path and method. */
export interface Endpoint {
  readonly method: string;
  /** An exact path, in which `{name}` matches one segment of any text. */
  readonly path: string;
  readonly respond: Responder;
  /** Undefined for paths that are counted together. */
  readonly meter?: Meter | undefined;
}

/** A path with an endpoint for each of its methods. */
export interface Route {
  readonly path: string;
  readonly byMethod: ReadonlyMap<string, Endpoint>;
  /** Value of the `Allow` header. */
  readonly allow: string;
}

export interface RouteMatch {
  readonly route: Route;
  /** The text of each `{name}`, as sent. */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Matches paths exactly: by case, with no trailing or double slash, and without decoding. But the server parses each URL first
 * (https://url.spec.whatwg.org/#path-state): `\` has become `/`, and `..` and `%2e%2e` have removed a segment. So `/v1\..\console`
 * arrives here as `/console`.
 */
export function createRouter(
  endpoints: readonly Endpoint[],
): (path: string) => RouteMatch | undefined {
  const routes = [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, group]) =>
    createRoute(path, group),
  );
  const exact = new Map(
    routes
      .filter(({ path }) => !path.includes('{'))
      .map((route) => [route.path, { route, parameters: {} }]),
  );
  const patterns = routes
    .filter(({ path }) => path.includes('{'))
    .map((route) => ({ route, pattern: toPattern(route.path) }));

  return (path) => {
    const found = exact.get(path);
    if (found !== undefined) return found;
    for (const { route, pattern } of patterns) {
      const match = pattern.exec(path);
      if (match !== null) return { route, parameters: { ...match.groups } };
    }
    return undefined;
  };
}

function createRoute(path: string, group: readonly Endpoint[]): Route {
  const byMethod = new Map(group.map((endpoint) => [endpoint.method, endpoint]));
  const methods = [...byMethod.keys()];
  const get = byMethod.get('GET');
  if (get !== undefined) {
    byMethod.set('HEAD', get);
    methods.splice(methods.indexOf('GET') + 1, 0, 'HEAD');
  }
  return { path, byMethod, allow: [...methods, 'OPTIONS'].join(', ') };
}

function toPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}
