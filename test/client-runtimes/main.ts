import { runEach } from '../faults/run-each.ts';
import { recipes } from './recipes.ts';
import { runtimes } from './runtimes.ts';

await runEach({
  command: 'npm run test:client',
  description:
    'Packs the client, installs it elsewhere, and runs it against a real server in every runtime that it is for. Follows the ' +
    'recipes of docs/clients.md with the tools from npm and PyPI.',
  faults: [...runtimes, ...recipes],
  longMeans: 'nothing more',
});
