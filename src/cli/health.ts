import type { Command } from 'commander';
import { timeout } from '../context/deadline.ts';
import { hideUser, oneOf, orMustBe, type Parsed, parseHttpUrl } from '../ops/setting-values.ts';
import { CliFailure } from '../terminal/cli-failure.ts';
import { addSettings, optional, settingsOf } from '../terminal/command-line.ts';
import { addressDescriptions, addressSettings, originOf } from './server-address.ts';

/** A server answers within 5 s. One that takes longer counts as not ready. */
const answerSecondsMax = 6;

/** Bun would send a request to this machine to the proxy of HTTP_PROXY. */
const withoutProxy = { proxy: false };

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
    .option('--for <what>', 'reads: ask only whether it can read');
  const parsers = { url: optional(parseUrl), for: optional((text) => oneOf(['reads'], text)) };
  addSettings(command, addressSettings, addressDescriptions).action(async () => {
    const { url, for: what, ...address } = settingsOf(command, addressSettings, parsers);
    const query = what === undefined ? '' : `?for=${what}`;
    const readyUrl = `${url ?? originOf(address)}/readyz${query}`;
    const status = await requestStatus(readyUrl);
    if (status !== 200) throw new CliFailure(`${readyUrl} answers ${status}`);
  });
}

async function requestStatus(url: string): Promise<number> {
  const signal = timeout(answerSecondsMax * 1000);
  try {
    const response = await fetch(url, { signal, redirect: 'manual', ...withoutProxy });
    await response.body?.cancel();
    return response.status;
  } catch {
    const reason = signal.aborted ? `no response in ${answerSecondsMax} s` : 'no connection';
    throw new CliFailure(`${url} does not answer: ${reason}`);
  }
}

function parseUrl(text: string): Parsed<string> {
  const url = parseHttpUrl(text);
  const base = url && (url.origin + url.pathname).replace(/(?:\/v1)?\/?$/, '');
  const rule = 'the http or https URL of a server, such as http://127.0.0.1:8080';
  return hideUser(text, orMustBe(base, rule));
}
