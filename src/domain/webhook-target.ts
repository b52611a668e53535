import type { Int64 } from './values/int64.ts';
import { type IpRange, parseIpRange } from './values/ip-address.ts';

/** Addresses that webhooks may have although they are not on the public internet. Without a port, all ports. */
export interface AllowedTargets {
  readonly range: IpRange;
  readonly port: number | undefined;
}

/** Reads `10.0.0.0/8`, `127.0.0.1:3000` or `[::1]:3000`. */
export function parseAllowedTargets(text: string): AllowedTargets | undefined {
  const match =
    /^\[(?<ipv6>[^[\]/]+)\](?<bits>\/[0-9]+)?(?::(?<port>[0-9]{1,5}))?$/.exec(text) ??
    /^(?<ipv4>[^:]+):(?<port>[0-9]{1,5})$/.exec(text);
  const { ipv6, ipv4 = text, bits = '', port: portText } = match?.groups ?? {};
  const range = parseIpRange(ipv6 === undefined ? ipv4 : ipv6 + bits);
  const port = portText === undefined ? undefined : Number(portText);
  const isPort = port === undefined || (port >= 1 && port <= 65535);
  const isForm = ipv6 === undefined || range?.version === 6;
  return range !== undefined && isPort && isForm ? { range, port } : undefined;
}

/** The URL of a webhook without its user and its query, which can contain secrets. */
export function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

const firstPartLengthMax = 32;

/** The URL of a webhook with the first part of its path alone, to be kept for ever: the rest can contain secrets and be long. */
export function withoutPath(url: string): string {
  const { origin, pathname } = new URL(url);
  const [, first = '', ...rest] = pathname.split('/');
  if (first.length > firstPartLengthMax) return `${origin}/${first.slice(0, firstPartLengthMax)}…`;
  return `${origin}/${first}${rest.length === 0 ? '' : '/…'}`;
}

/**
 * Why a webhook cannot have a URL. `refused_target`: its host name has no address now, or the server must not call one of its
 * addresses or its port. These cases are one, so that a client cannot explore the network of the server.
 */
export type TargetFault = 'invalid_url' | 'refused_target';

/** A URL that a webhook can have, in the form that is called, or why it cannot have it. */
export type CheckedTarget =
  | { readonly fault?: undefined; readonly url: string }
  | { readonly fault: TargetFault | 'too_many_checks' };

/** Checks a URL, and the addresses that its host name has now. The signal ends the questions about the name. */
export type CheckTarget = (
  url: string,
  by: { readonly workspaceId: Int64; readonly signal: AbortSignal },
) => Promise<CheckedTarget>;

/**
 * Why an attempt got no response. `refused_target`: as above. `connection_failed`: the endpoint rejected or closed the connection.
 * `tls_failed`: its certificate is not valid for the host name, or TLS failed in another way. `invalid_response`: no HTTP/1.1, or too
 * long headers; then the excerpt names the rule.
 */
export const attemptErrors = [
  'refused_target',
  'connection_failed',
  'tls_failed',
  'timeout',
  'invalid_response',
] as const;
export type AttemptError = (typeof attemptErrors)[number];
