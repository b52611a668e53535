import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { timeout } from '../context/deadline.ts';
import { webhookUrlLengthMax } from '../domain/webhook.ts';
import type { AllowedTargets, TargetFault } from '../domain/webhook-target.ts';
import { judgeAddress } from './address.ts';

/** Returns every IPv4 and IPv6 address of a host name. Rejects if it has none, or if the signal is aborted. */
export type Resolve = (hostName: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface TargetRules {
  readonly allowed: readonly AllowedTargets[];
  readonly resolve?: Resolve;
  /** Undefined if the system does not say. */
  readonly readMachineAddresses?: () => readonly string[] | undefined;
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

export type JudgeTarget = (
  url: string,
  signal?: AbortSignal,
) => Promise<Target | { readonly fault: TargetFault }>;

/**
 * Judges the URL of a webhook by the addresses that its host name has now. All of them must be good, because which one is called
 * can change. The caller connects to these addresses only, and judges again for the next attempt: the name can have others then.
 */
export function createJudgeTarget({
  allowed,
  resolve = resolveWithSystem,
  readMachineAddresses = readAddressesOfInterfaces,
  resolveMillisecondsMax = 5000,
}: TargetRules): JudgeTarget {
  return async (text, signal) => {
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
      : await resolveInTime(host, resolve, resolveMillisecondsMax, signal);
    const machine = readMachineAddresses();
    if (machine === undefined) return { fault: 'refused_target' };
    const rules = { allowed, machine };
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

/** Empty if the name has no address, if it takes too long, or if the signal is aborted. */
async function resolveInTime(
  hostName: string,
  resolve: Resolve,
  millisecondsMax: number,
  given?: AbortSignal,
): Promise<readonly string[]> {
  const late = timeout(millisecondsMax);
  const signal = given === undefined ? late : AbortSignal.any([given, late]);
  const { promise: aborted, resolve: end } = Promise.withResolvers<readonly string[]>();
  const onAbort = () => end([]);
  signal.addEventListener('abort', onAbort);
  try {
    if (signal.aborted) return [];
    return await Promise.race([resolve(hostName, signal), aborted]);
  } catch {
    return [];
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves names as the system does, but without a thread, which a DNS server without an answer would occupy. */
async function resolveWithSystem(
  hostName: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  // Each resolver has sockets, until its questions are answered or cancelled.
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel);
  try {
    return await Promise.any([lookUp(hostName), askCurrentServers(resolver, hostName)]);
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

/** Reads the hosts file too, and applies search domains. It asks the DNS servers that the system had at the first call. */
async function lookUp(hostName: string): Promise<readonly string[]> {
  const found = await Bun.dns.lookup(hostName, { backend: 'c-ares' });
  return found.map(({ address }) => address);
}

/** The DNS servers of a system can change while this server runs. */
async function askCurrentServers(resolver: Resolver, hostName: string): Promise<readonly string[]> {
  const orNone = (error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return [];
    throw error;
  };
  const found = await Promise.all([
    resolver.resolve4(hostName).catch(orNone),
    resolver.resolve6(hostName).catch(orNone),
  ]);
  const addresses = found.flat();
  if (addresses.length === 0) throw new Error('The name has no address');
  return addresses;
}

/** The system does not say it if the process has no file descriptor left. */
function readAddressesOfInterfaces(): readonly string[] | undefined {
  try {
    const interfaces = Object.values(networkInterfaces());
    return interfaces.flatMap((each = []) => each.map(({ address }) => address));
  } catch {
    return undefined;
  }
}
