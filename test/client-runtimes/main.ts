import { runEach } from '../faults/run-each.ts';
import { runtimes } from './runtimes.ts';

await runEach({
  command: 'npm run test:client',
  description:
    'Packs the client, installs it elsewhere, and runs it against a real server in every runtime that it is for.',
  faults: runtimes,
  longMeans: 'nothing more',
});
