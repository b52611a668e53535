import type { HideApiKeys } from '../../domain/echo.ts';

/** The id that the client gave its request, where it fits and is no key put there by mistake. */
export function readRequestId(headers: Headers, hide: HideApiKeys): string | undefined {
  const sent = headers.get('x-request-id');
  if (sent === null || !/^[A-Za-z0-9/+_=.-]{1,128}$/.test(sent)) return undefined;
  return hide(sent) === sent ? sent : undefined;
}
