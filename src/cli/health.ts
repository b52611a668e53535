import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Command } from 'commander';
import { timeout } from '../context/deadline.ts';
import { reachable } from '../http/public-urls.ts';
import { oneOf, orMustBe, type Parsed } from '../ops/setting-values.ts';
import { CliFailure, misused } from '../terminal/cli-failure.ts';
import { addSettings, optional, settingsOf } from '../terminal/command-line.ts';

const settingNames = ['host', 'port'] as const;

/** A server answers within 5 s. */
const answerMillisecondsMax = 6000;

export function addHealthCommand(program: Command): void {
  const command = program
    .command('health')
    .description(
      'Ask a server whether it is ready, for the health check of a container. Exit code 0: it is; 1: it is not, or does not answer.',
    )
    .argument(
      '[url]',
      'URL of the server (default: the server of this machine with --host and --port)',
    )
    .option('--for <what>', 'reads: whether it can read, although it may not be able to write');
  const parsers = { url: optional(parseUrl), for: optional((text) => oneOf(['reads'], text)) };
  addSettings(command, settingNames, {
    host: 'address that the server listens on',
    port: 'port that the server listens on',
  }).action(async () => {
    const { host, port, url, for: what } = settingsOf(command, settingNames, parsers);
    if (url === undefined && port === 0)
      throw misused('--port must be the port of the server, got 0');
    const bracketed = host.includes(':') ? `[${host}]` : host;
    const base = url ?? reachable(`http://${bracketed}:${port}`);
    const address = `${base}/readyz${what === undefined ? '' : `?for=${what}`}`;
    const { statusCode } = await request(new URL(address)).catch((error: Error) => {
      throw new CliFailure(`${address} does not answer: ${error.message}`);
    });
    if (statusCode !== 200) throw new CliFailure(`${address} answers ${statusCode}`);
  });
}

/** `fetch` would send a request to this machine to the proxy of HTTP_PROXY. */
async function request(url: URL): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const signal = timeout(answerMillisecondsMax);
  send(url, { agent: false, signal }, resolve)
    .on('error', () => {
      const seconds = answerMillisecondsMax / 1000;
      reject(new Error(signal.aborted ? `nothing came in ${seconds} s` : 'no connection'));
    })
    .end();
  const response = await promise;
  response.destroy();
  return response;
}

function parseUrl(text: string): Parsed<string> {
  const url = URL.parse(text);
  const isUrl =
    url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  const base = isUrl ? (url.origin + url.pathname).replace(/(?:\/v1)?\/?$/, '') : undefined;
  const parsed = orMustBe(base, 'the http or https URL of a server, such as http://127.0.0.1:8080');
  return 'value' in parsed || !text.includes('@') ? parsed : { ...parsed, isSecret: true };
}
