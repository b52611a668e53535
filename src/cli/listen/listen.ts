import type { Command } from 'commander';
import { isOperatorApiKey, operatorApiKeyRule } from '../../domain/access/api-key.ts';
import {
  hideUser,
  orMustBe,
  type Parsed,
  parseBaseUrl,
  parseHttpUrl,
} from '../../ops/setting-values.ts';
import { endWithoutReaders } from '../../server/stop.ts';
import { askSecret } from '../../terminal/ask.ts';
import { CliFailure, misused } from '../../terminal/cli-failure.ts';
import { addSettings, optional, settingsOf } from '../../terminal/command-line.ts';
import { print } from '../../terminal/print.ts';
import { findEndSignals } from '../../terminal/signals.ts';
import { isWebhookSecret } from '../../webhooks/signature.ts';

const settingNames = ['apiKey', 'webhookSecret'] as const;

export function addListenCommand(program: Command): void {
  const command = program
    .command('listen')
    .description(
      'Post each new event of a server to a receiver, signed like a webhook, until Ctrl-C.',
    )
    .requiredOption('--server <url>', 'URL of the server, such as https://animals.example/v1')
    .requiredOption('--forward-to <url>', 'http or https URL of the receiver, on any machine')
    .option('--after <position>', 'sequence of the event to begin after, or now', 'now')
    .option(
      '--types <list>',
      "types of events, separated by commas, such as 'pet.*,order.created' (default: all that the key may read)",
    )
    .addHelpText('after', `\n${rules}`);
  const parsers = {
    server: parseServerUrl,
    forwardTo: parseReceiverUrl,
    after: parseAfter,
    types: optional(parseTypes),
  };
  addSettings(command, settingNames, {
    apiKey: 'API key with the scope events:read; without it, listen asks for it on a terminal',
  }).action(async () => {
    const config = settingsOf(command, settingNames, parsers);
    const { server: baseUrl, forwardTo: receiver, after, types, webhookSecret } = config;
    if (webhookSecret !== undefined && !isWebhookSecret(webhookSecret)) {
      throw misused('ANIMAL_STORE_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes in base64');
    }
    // Loaded when they are used, because they would delay the start of every other command.
    const { deriveSecret } = await import('./derive-secret.ts');
    const { followFeed } = await import('./follow-feed.ts');
    const apiKey = config.apiKey ?? (await askApiKey());
    const secret = webhookSecret ?? deriveSecret(apiKey);
    await followFeed({
      ...{ baseUrl, apiKey, after, types },
      receiver,
      secret,
      signal: createStopSignal(),
      onStart(position) {
        print(`Events of ${baseUrl} after ${position} are posted to ${receiver}.`);
        if (webhookSecret === undefined) printSecret(secret);
      },
    }).finally(endWithoutReaders);
  });
}

const rules = `The receiver gets one event at a time, in order. A status from 200 to 299 is a
success. While no connection to the receiver is possible, listen waits for it.
After any other failure, it repeats the event after 0.5, 1 and 2 seconds, then
skips it. After Ctrl-C, it prints the --after with which it continues.`;

function printSecret(secret: string): void {
  print('They are signed with this secret, which is the same at each start with the same API key:');
  for (const line of ['', `  ${secret}`, '']) print(line);
}

/** The base URL of the API. `/v1` can be left out. */
function parseServerUrl(text: string): Parsed<string> {
  const url = text.replace(/\/$/, '');
  const parsed = parseBaseUrl(url.endsWith('/v1') ? url : `${url}/v1`);
  const rule = 'the http or https URL of a server, such as https://animals.example/v1';
  return hideUser(text, 'value' in parsed ? parsed : { mustBe: rule });
}

function parseReceiverUrl(text: string): Parsed<URL> {
  const rule = 'an http or https URL without a user, such as http://localhost:3000/hook';
  return hideUser(text, orMustBe(parseHttpUrl(text), rule));
}

function parseAfter(text: string): Parsed<bigint | 'now'> {
  if (text === 'now') return { value: text };
  const isSequence = /^(?:0|[1-9][0-9]{0,14})$/.test(text);
  return orMustBe(isSequence ? BigInt(text) : undefined, 'now, or the sequence of an event');
}

/** The server knows the types. */
function parseTypes(text: string): Parsed<readonly string[]> {
  const types = text.split(',').map((type) => type.trim());
  return orMustBe(types.includes('') ? undefined : types, 'a list of types, separated by commas');
}

async function askApiKey(): Promise<string> {
  if (!process.stdin.isTTY) {
    throw misused('Set ANIMAL_STORE_API_KEY to an API key with the scope events:read');
  }
  const apiKey = await askSecret('API key (not shown): ');
  if (apiKey === undefined) throw new CliFailure('No API key was given');
  if (!isOperatorApiKey(apiKey)) throw new CliFailure(`The API key must be ${operatorApiKeyRule}`);
  return apiKey;
}

/**
 * Aborts at Ctrl-C, at SIGTERM, at the end of the terminal, and when no program reads the output any more. Ctrl-C under npm sends two signals, so the listeners
 * stay until the process ends. Otherwise the second signal would end it before its last line.
 */
function createStopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of findEndSignals()) process.on(signal, stop);
  process.stdout.on('error', stop);
  return stopping.signal;
}
