import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { after } from '../context/deadline.ts';
import type { AttemptResult, WebhookAttempt } from '../domain/webhook.ts';
import type { AttemptError } from '../domain/webhook-target.ts';
import { createExcerpt } from './excerpt.ts';
import { type ResponseFault, readEqualLengths } from './lenient-response.ts';
import { parseRetryAfter } from './retry-after.ts';
import { signMessage } from './signature.ts';
import type { JudgeTarget, Target } from './target.ts';

export const attemptLimits = {
  /** For TCP and TLS. */
  connectMilliseconds: 5000,
  /** From the resolution of the name to the end of the response. */
  wholeMilliseconds: 15_000,
  headerBytes: 16 * 1024,
  /** How much of a response is read. After that, the connection is closed. */
  bodyBytes: 64 * 1024,
  /** In how many parts. Each costs time of the server. */
  bodyParts: 64,
};

/** Informational responses (1xx) before the response. */
const informationMax = 10;

interface RequestOptions {
  /** The version of this program. */
  readonly version: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly limits?: Readonly<typeof attemptLimits>;
  /** Certificates (PEM) that are trusted instead of those of the runtime. */
  readonly trustedCertificates?: string;
}

export interface SendOptions extends RequestOptions {
  readonly judgeTarget: JudgeTarget;
  /** Milliseconds of a clock that is never set. */
  readonly steadyNow: () => number;
}

/** A target. Without addresses, the system finds those of its host. */
type Destination = Omit<Target, 'addresses'> & Partial<Pick<Target, 'addresses'>>;

/** Rejects only if the signal is aborted. */
export type Send = (attempt: WebhookAttempt, signal: AbortSignal) => Promise<AttemptResult>;

type Outcome = Omit<AttemptResult, 'milliseconds'>;

export interface Exchange {
  readonly outcome: Outcome;
  /** Without a connection, the endpoint has seen nothing. */
  readonly wasConnected: boolean;
  /** Why no response arrived, if there was an error. */
  readonly cause: Error | undefined;
}

/** Returns a function that sends a signed event once, and reports the response. */
export function createSend(options: SendOptions): Send {
  const { judgeTarget, steadyNow } = options;
  return async (attempt, signal) => {
    const begunAt = steadyNow();
    const target = await judgeTarget(attempt.url, signal);
    signal.throwIfAborted();
    const outcome =
      target.fault !== undefined
        ? { error: 'refused_target' as const }
        : (await exchange(target, attempt, options, signal, steadyNow() - begunAt)).outcome;
    return { ...outcome, milliseconds: Math.round(steadyNow() - begunAt) };
  };
}

/** Sends a signed event once to any target. Rejects only if the signal is aborted. */
export function exchange(
  target: Destination,
  attempt: WebhookAttempt,
  options: RequestOptions,
  signal: AbortSignal,
  elapsedMilliseconds = 0,
): Promise<Exchange> {
  const { now, limits = attemptLimits } = options;
  const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
  const request = createRequest(target, attempt, options);
  const excerpt = createExcerpt();
  const phaseOf = followConnection(request, () => connectTimer[Symbol.dispose]());
  let response: Outcome | undefined;
  const read = { bytes: 0, parts: 0 };

  const connectTimer = after(limits.connectMilliseconds, () => end({ error: 'timeout' }));
  const wholeMilliseconds = Math.max(0, limits.wholeMilliseconds - elapsedMilliseconds);
  const wholeTimer = after(wholeMilliseconds, () => end({ error: 'timeout' }));

  /** A response counts although its body was not read to the end. */
  function end(failure: Outcome = {}, cause?: Error): void {
    close();
    const outcome = response ? { ...response, responseExcerpt: excerpt.read() } : failure;
    resolve({ outcome, wasConnected: phaseOf() !== 'connect', cause });
  }

  function abort(): void {
    close();
    reject(signal.reason);
  }

  function close(): void {
    connectTimer[Symbol.dispose]();
    wholeTimer[Symbol.dispose]();
    signal.removeEventListener('abort', abort);
    request.destroy();
  }

  signal.addEventListener('abort', abort);
  limitInformation(request, () => end(breaksRule('Too many informational responses')));
  request.once('response', (message) => {
    const { statusCode: httpStatus = 0, headers } = message;
    if (httpStatus < 100) return end(breaksRule('Invalid status code'));
    response = { httpStatus, retryAfterSeconds: parseRetryAfter(headers['retry-after'], now()) };
    excerpt.setForm(headers);
    message.on('data', (bytes: Buffer) => {
      // Parts that had arrived together follow the end.
      if (read.parts >= limits.bodyParts) return;
      excerpt.add(bytes);
      read.bytes += bytes.length;
      read.parts += 1;
      if (read.bytes >= limits.bodyBytes || read.parts >= limits.bodyParts) end();
    });
    for (const ending of ['end', 'error', 'close']) message.on(ending, () => end());
  });
  // Without a listener, the endpoint could keep the connection.
  request.once('upgrade', ({ statusCode: httpStatus }, socket) => {
    socket.destroy();
    response = { httpStatus };
    end();
  });
  if (!target.isPermitted) onMachineAddress(request, () => end({ error: 'refused_target' }));
  request.on('error', (error: ResponseFault) => {
    response ??= readDespite(error, now());
    end(failureOf(error, phaseOf()), error);
  });
  request.once('close', () => end({ error: errorIn(phaseOf()) }));
  request.end(attempt.body);
  return promise;
}

function limitInformation(request: ClientRequest, onTooMuch: () => void): void {
  let count = 0;
  request.on('information', () => {
    count += 1;
    if (count > informationMax) onTooMuch();
  });
}

/** An address can be one of this machine although none of its running interfaces has it. */
function onMachineAddress(request: ClientRequest, refuse: () => void): void {
  request.once('socket', (socket) => {
    socket.once('connect', () => {
      if (socket.localAddress === socket.remoteAddress) refuse();
    });
  });
}

type Phase = 'connect' | 'tls' | 'http';

/** Returns a function that reads what the connection is for now. */
function followConnection(request: ClientRequest, onReady: () => void): () => Phase {
  let phase: Phase = 'connect';
  const startHttp = () => {
    phase = 'http';
    onReady();
  };
  const startTls = () => {
    phase = 'tls';
  };
  request.once('socket', (socket) => {
    const isSecure = request.protocol === 'https:';
    socket.once('connect', isSecure ? startTls : startHttp);
    if (isSecure) socket.once('secureConnect', startHttp);
  });
  return () => phase;
}

function createRequest(
  { url, host, port, addresses }: Destination,
  { eventId, secrets, body }: WebhookAttempt,
  { now, version, limits = attemptLimits, trustedCertificates }: RequestOptions,
): ClientRequest {
  const timestampSeconds = Math.floor(now() / 1000);
  const common = {
    method: 'POST',
    host,
    port,
    path: url.pathname + url.search,
    headers: {
      Host: url.host,
      'User-Agent': `animal-store/${version}`,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      'Accept-Encoding': 'identity',
      ...signMessage(secrets, { id: eventId, timestampSeconds, body }),
    },
    // The name is not resolved again, because it can have other addresses by now. For a host that is an address, no lookup is made.
    lookup: addresses && lookUpIn(addresses),
    // A connection of its own, and no proxy: a shared agent could reuse one, and obeys variables of the environment.
    agent: false,
    maxHeaderSize: limits.headerBytes,
    // Embedded servers end lines without CR, or send two lengths. With one request, a connection has no next response to confuse.
    insecureHTTPParser: true,
  } as const;
  if (url.protocol === 'http:') return requestHttp(common);
  return requestHttps({
    ...common,
    // An address is not a server name (RFC 6066, section 3), and a name has no last dot there.
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    // Else, a variable of the environment could turn the check off.
    rejectUnauthorized: true,
    ...(trustedCertificates === undefined ? {} : { ca: trustedCertificates }),
  });
}

function lookUpIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all }, onFound) => {
    const [first] = found;
    if (all || first === undefined) onFound(null, found);
    else onFound(null, first.address, first.family);
  };
}

function readDespite(error: ResponseFault, now: number): Outcome | undefined {
  const head = readEqualLengths(error);
  if (head === undefined) return undefined;
  const retryAfterSeconds = parseRetryAfter(head.retryAfter, now);
  return { httpStatus: head.httpStatus, retryAfterSeconds };
}

function failureOf(fault: ResponseFault, phase: Phase): Outcome {
  const error = errorIn(phase, fault.code);
  return error === 'invalid_response' ? breaksRule(fault.reason) : { error };
}

/** What a delivery shows in place of a response. */
function breaksRule(reason = 'Parse error'): Outcome {
  return {
    error: 'invalid_response',
    responseExcerpt: `The response is not HTTP/1.1: ${reason}`,
  };
}

function errorIn(phase: Phase, code = ''): AttemptError {
  if (phase === 'tls') return 'tls_failed';
  return code.startsWith('HPE_') ? 'invalid_response' : 'connection_failed';
}
