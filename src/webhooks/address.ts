import {
  type IpAddress,
  type IpRange,
  ipv4Inside,
  isInRange,
  isOneAddress,
  parseIpAddress,
  parseIpRange,
} from '../domain/values/ip-address.ts';
import type { AllowedTargets } from '../domain/webhook-target.ts';

/**
 * Addresses that are not on the public internet (https://www.iana.org/assignments/iana-ipv4-special-registry), and those from
 * which networks send to several receivers.
 */
const refusedIpv4 = ranges(
  '0.0.0.0/8', // this network
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by the customers of a carrier
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16',
  '198.18.0.0/15', // measurements
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/3', // multicast, and everything above
);

/**
 * The range that is assigned to the public internet. Outside it are loopback, unique local and link-local addresses, multicast,
 * and IPv4 addresses as IPv6: mapped, compatible, and those of NAT64.
 */
const publicIpv6 = ranges('2000::/3');

/** https://www.iana.org/assignments/iana-ipv6-special-registry */
const refusedIpv6 = ranges(
  '2001::/23', // Teredo contains an IPv4 address
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4 contains an IPv4 address
  '3fff::/20', // documentation
);

/**
 * Services that give credentials to each program of a machine in a cloud. They are permitted only by their exact address, so that
 * a permitted network does not include them.
 */
const metadataServices = ranges(
  '169.254.0.0/16', // 169.254.169.254 of AWS, Azure, Google Cloud and others; 169.254.170.2 of containers of AWS
  '100.100.100.200', // Alibaba Cloud
  '168.63.129.16', // Azure
  '192.0.0.192', // Oracle Cloud
  'fd00:ec2::/32', // AWS
  'fd20:ce::254', // Google Cloud
  'fd00:42::42', // Scaleway
  'fd00:c1::a9fe:a9fe', // Oracle Cloud
  'fe80::/10', // link-local, as fe80::a9fe:a9fe of several
);

/** Why an address may be called: it is on the public internet, or the operator permits it. Undefined if it must not be called. */
export type AddressVerdict = 'public' | 'permitted' | undefined;

export interface AddressRules {
  /** Exceptions, as the operator set them. */
  readonly allowed: readonly AllowedTargets[];
  /** Addresses of this machine. Its services may trust callers from there. */
  readonly machine: readonly string[];
}

/** Judges the address of a target and its port. The text is an address; other texts are refused. */
export function judgeAddress(text: string, port: number, rules: AddressRules): AddressVerdict {
  const address = parseIpAddress(text);
  if (address === undefined) return undefined;
  const reached = [address, ...ipv4Inside(address)];
  const isMetadata = reached.some((each) => isInAny(each, metadataServices));
  const isPermitted = rules.allowed.some(
    ({ range, port: onlyPort = port }) =>
      onlyPort === port && isInRange(address, range) && (!isMetadata || isOneAddress(range)),
  );
  if (isPermitted) return 'permitted';
  const isMachine = rules.machine.some((each) => isEqual(address, parseIpAddress(each)));
  return isPublic(address) && !isMetadata && !isMachine ? 'public' : undefined;
}

function isPublic(address: IpAddress): boolean {
  return address.version === 4
    ? !isInAny(address, refusedIpv4)
    : isInAny(address, publicIpv6) && !isInAny(address, refusedIpv6);
}

function isInAny(address: IpAddress, list: readonly IpRange[]): boolean {
  return list.some((range) => isInRange(address, range));
}

function isEqual(one: IpAddress, other: IpAddress | undefined): boolean {
  return one.version === other?.version && one.value === other.value;
}

function ranges(...texts: readonly string[]): readonly IpRange[] {
  return texts.map((text) => {
    const range = parseIpRange(text);
    if (range === undefined) throw new Error(`${text} is no range`);
    return range;
  });
}
