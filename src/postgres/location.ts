import { type ClientConfig, types } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { DatabaseUnusable } from '../storage/contract/database-error.ts';
import { postgresUrlCure } from '../storage/contract/postgres-url.ts';

/** One of several servers with the same data. One of them accepts writes. */
export interface Host {
  readonly host: string;
  readonly port: number;
}

export interface Location {
  readonly hosts: readonly Host[];
  /** Everything except the host. */
  readonly config: ClientConfig;
}

const authority = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]+)(.*)$/s;
const hostAndPort = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]@%]+)(?::([0-9]{1,5}))?$/;

/**
 * Parses `postgres://user:password@one:5432,two:5432/name?sslmode=…`, and reads the files of keys and certificates that it
 * names.
 * @throws DatabaseUnusable with one line for the operator, which contains no part of a password.
 */
export function parseLocation(url: string): Location {
  const match = authority.exec(url);
  if (match === null) throw malformed();
  const [, head = '', hostList = '', tail = ''] = match;
  // The password contains an @ or / that is not percent-encoded, so that a part of it would be the host.
  if (/^[^?]*@/.test(tail)) throw malformed();
  const hosts = hostList.split(',').map(parseHost);
  try {
    const config = parseIntoClientConfig(
      `${head}${hostList.split(',')[0]}${checkCertificates(tail)}`,
    );
    // The driver decodes the name only in part.
    const name = decodeURIComponent(/^\/([^?]*)/.exec(tail)?.[1] ?? '');
    return { hosts, config: name === '' ? config : { ...config, database: name } };
  } catch (cause) {
    throw isOfSystem(cause)
      ? new DatabaseUnusable(
          `A file named in the PostgreSQL URL cannot be read: ${cause.message}`,
          { cause },
        )
      : malformed();
  }
}

/**
 * The driver checks certificates as `verify-full` does for each of these modes, and prints a warning for all others, unless
 * `uselibpqcompat` is set. For the certificates of the system, it needs no parameter.
 */
function checkCertificates(tail: string): string {
  if (/[?&]uselibpqcompat=/.test(tail)) return tail;
  return tail
    .replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
    .replace(/([?&])sslrootcert=system(?:&|$)/, '$1');
}

/** The hosts and the name of a database, without user, password and options. */
export function describeLocation(url: string): string {
  const { hosts, config } = parseLocation(url);
  const places = hosts.map(
    ({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`,
  );
  return `${places.join(',')}/${config.database ?? ''}`;
}

/** Without the cause, whose message contains the URL. */
function malformed(): DatabaseUnusable {
  return new DatabaseUnusable(`The PostgreSQL URL is malformed: ${postgresUrlCure}`);
}

function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}

function parseHost(text: string): Host {
  const [, host, digits = '5432'] = hostAndPort.exec(text) ?? [];
  const port = Number(digits);
  if (host === undefined || port < 1 || port > 65535) throw malformed();
  return { host: host.replace(/^\[|\]$/g, ''), port };
}

const int8Oid = 20;

/** Reads int8 as bigint instead of text. */
export const exactTypes: NonNullable<ClientConfig['types']> = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === int8Oid ? BigInt : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
};
