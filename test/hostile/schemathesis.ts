import { join } from 'node:path';
import { linesOf } from '../faults/figures.ts';
import { LeftOut, type LongTest, type TestOptions, type TestOutcome } from '../faults/long-test.ts';
import { publishedDocument } from '../support/published-document.ts';
import { installPython, pythonIsMissing } from '../support/python.ts';
import { runIn } from '../support/run-in.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dir, '../..');
const requirements = join(import.meta.dir, 'requirements.txt');
/**
 * These have values that match the document and no record or page, or the same value in many requests. Their refusal would hide that
 * another part was wrong.
 */
const hiding = /\/(?:Idempotency-Key|If-Match.*|If-None-Match-Write|Cursor)$/i;
const clientsPage = join(root, 'docs/clients.md');

/** Their bodies may have an `id`, which must be that of the path. */
const withIds = ['updatePet', 'updateOrder', 'putCategory'].map(
  (operationId) => `
[[operations]]
include-operation-id = "${operationId}"
checks.positive_data_acceptance.expected-statuses = ["2xx", 400, 404, 409, 412, 422]`,
);

const examplesEveryDay = 12;
const examplesOnDemand = 100;
/** Without those of webhooks, and the stream. */
const operationsMin = 18;
/** The same seed gives the same requests. */
const seed = 1;

export const schemathesis: LongTest = {
  name: 'schemathesis',
  title:
    'requests that the published document allows, and requests that it does not allow, by Schemathesis with docs/schemathesis.toml',
  missing: () => pythonIsMissing(11),
  run,
};

async function run({ long }: TestOptions): Promise<TestOutcome> {
  using folder = makeTemporaryFolder();
  const hashed = ['--require-hashes', '--only-binary', ':all:', '-r', requirements];
  const failure = await installPython(folder.path, ...hashed);
  if (failure !== undefined) {
    // Without a network it is left out, but not with other files than those of the list.
    throw failure.includes('HASHES') ? new Error(failure) : new LeftOut(failure.split('\n')[0]);
  }
  const text = JSON.stringify(publishedDocument, (name, value) =>
    name === 'parameters' && Array.isArray(value)
      ? value.filter(({ $ref = '', name: own }) => !hiding.test($ref) && own !== 'cursor')
      : value,
  );
  await Bun.write(join(folder.path, 'openapi.json'), text);
  // The settings for users also allow what a key, another client or a full disk can cause.
  const settings = await Bun.file(join(root, 'docs/schemathesis.toml')).text();
  const strict = settings.replace(' 400, 401, 403,', '').replace(', 429, 503]', ']');
  if (/\b(?:400|401|403|429|503)\b/.test(strict))
    throw new Error('The settings have other statuses');
  await Bun.write(join(folder.path, 'strict.toml'), [strict, ...withIds].join('\n'));
  await using server = await startServerProcess(`sqlite:${folder.path}/animals.db`);
  const command = [
    ...['venv/bin/schemathesis', '--no-color', '--config-file', 'strict.toml'],
    ...['run', 'openapi.json', '--url', `${server.origin}/v1`, '--seed', `${seed}`],
    ...['--max-examples', `${long ? examplesOnDemand : examplesEveryDay}`, '--continue-on-failure'],
    // Webhooks would call the addresses that it invents.
    ...['--exclude-path-regex', '^/webhooks'],
  ];
  const { exitCode, text: output } = await runIn(folder.path, command, {
    KEY: server.firstKey ?? '',
  });
  const [, operations = '0'] = /^ *Tested: ([0-9]+)$/m.exec(output) ?? [];
  const [cases] = /[0-9]+ generated, .*/.exec(output) ?? [];
  const [, found = output] = output.split(/^=+ (?:FAILURES|ERRORS|WARNINGS|SUMMARY) =+$/m);
  const [pinned] = /^schemathesis==\S+/m.exec(await Bun.file(requirements).text()) ?? [];
  const isDocumented = (await Bun.file(clientsPage).text()).includes(`${pinned}\n`);
  return {
    figures: [`${operations} operations`, `${cases}`],
    broken: linesOf(
      exitCode !== 0 && found.trim(),
      Number(operations) < operationsMin && `${operations} operations were tested`,
      !isDocumented && `docs lack ${pinned}`,
    ),
  };
}
