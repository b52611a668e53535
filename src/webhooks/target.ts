import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { webhookUrlLengthMax } from '../domain/webhook.ts';
import type { AllowedTargets, TargetFault } from '../domain/webhook-target.ts';
import { judgeAddress } from './address.ts';

/** Returns every IPv4 and IPv6 address of a host name. Rejects if it has none. */
export type Resolve = (hostName: string) => Promise<readonly string[]>;

export interface TargetRules {
  readonly allowed: readonly AllowedTargets[];
  readonly resolve?: Resolve;
  readonly readOwnAddresses?: () => readonly string[];
  readonly resolveMillisecondsMax?: number;
}

/** A URL, and the addresses that the server may connect to for it. */
export interface Target {
  readonly fault?: undefined;
  readonly url: URL;
  /** The host without brackets: a name, or one of the addresses. */
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
  /** Whether the operator permits all of these addresses, so that they may be those of this machine. */
  readonly isPermitted: boolean;
}

export type JudgeTarget = (url: string) => Promise<Target | { readonly fault: TargetFault }>;

/**
 * Judges the URL of a webhook by the addresses that its host name has now. All of them must be good, because which one is called
 * can change. The caller connects to these addresses only, and judges again for the next attempt: the name can have others then.
 */
export function createJudgeTarget({
  allowed,
  resolve = resolveWithSystem,
  readOwnAddresses = readAddressesOfInterfaces,
  resolveMillisecondsMax = 5000,
}: TargetRules): JudgeTarget {
  return async (text) => {
    const url = parseTargetUrl(text);
    if (url === undefined) return { fault: 'invalid_url' };
    const isSecure = url.protocol === 'https:';
    // HTTP is only for permitted addresses.
    if (!isSecure && allowed.length === 0) return { fault: 'invalid_url' };
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
    // This function decides whether the runtime looks a host up when it connects.
    const isAddress = isIP(host) !== 0;
    const addresses = isAddress
      ? [host]
      : await resolveInTime(host, resolve, resolveMillisecondsMax);
    const rules = { allowed, own: readOwnAddresses() };
    const isPublicPort = isSecure && (port === 443 || port >= 1024);
    const verdicts = addresses.map((address) => judgeAddress(address, port, rules));
    const isPermitted = verdicts.every((verdict) => verdict === 'permitted');
    const areGood = verdicts.every(
      (verdict) => verdict === 'permitted' || (verdict === 'public' && isPublicPort),
    );
    if (addresses.length === 0 || !areGood) return { fault: 'refused_target' };
    return { url, host, port, addresses, isPermitted };
  };
}

/**
 * The parser of URLs converts every spelling of an IPv4 address that resolvers or sockets would accept (octal, hexadecimal, fewer
 * parts, other digits of Unicode) to its usual form.
 */
function parseTargetUrl(text: string): URL | undefined {
  if (text.length > webhookUrlLengthMax) return undefined;
  // The parser accepts more, and corrects it. Such a URL is rather a mistake or a trick.
  if (!/^https?:\/\/(?!\/)[^\s\\\p{Cc}]+$/iu.test(text)) return undefined;
  const url = URL.parse(text);
  return url?.username === '' && url.password === '' ? url : undefined;
}

/** Empty if the name has no address, or if it takes too long. */
async function resolveInTime(
  hostName: string,
  resolve: Resolve,
  millisecondsMax: number,
): Promise<readonly string[]> {
  const late = Promise.withResolvers<readonly string[]>();
  const timer = setTimeout(late.resolve, millisecondsMax, []);
  try {
    return await Promise.race([resolve(hostName), late.promise]);
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the hosts file and asks the DNS servers of the system, without a thread that a server without an answer would occupy. */
async function resolveWithSystem(hostName: string): Promise<readonly string[]> {
  const found = await Bun.dns.lookup(hostName, { backend: 'c-ares' });
  return found.map(({ address }) => address);
}

function readAddressesOfInterfaces(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each = []) =>
    each.map(({ address }) => address),
  );
}
