import type { App } from './app.ts';
import { errorAnswer, fail, isFailure } from './failure.ts';
import { readRequestTarget } from './request-context.ts';
import { makeResponse } from './response-policy.ts';

/** Serves only `GET /metrics`, on an address that the public does not reach. Requests at the same time share one reading. */
export function createMetricsApp(
  metrics: { readonly contentType: string; read(): Promise<string> },
  failed: (error: unknown) => void,
): App {
  let reading: Promise<string> | undefined;

  async function answer({ method }: Request, path: string) {
    if ((method !== 'GET' && method !== 'HEAD') || path !== '/metrics') {
      return fail('route_not_found', 'This server has only GET /metrics');
    }
    try {
      reading ??= metrics.read().finally(() => {
        reading = undefined;
      });
      const body = await reading;
      const headers = { 'content-type': metrics.contentType, 'cache-control': 'no-store' };
      return { httpStatus: 200, headers, body };
    } catch (error) {
      failed(error);
      return fail('internal_error', 'The metrics could not be read');
    }
  }

  return async (request) => {
    const result = await answer(request, readRequestTarget(request).path);
    return makeResponse(isFailure(result) ? errorAnswer(result) : result);
  };
}
