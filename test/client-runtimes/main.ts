import { runLongTests } from '../faults/run-long-tests.ts';
import { clientTests } from './client-tests.ts';

await runLongTests({
  command: 'npm run test:client',
  description:
    'Packs the client, installs it in another folder, and runs it against a real server in every supported runtime. Runs the ' +
    'recipes of docs/clients.md, and compiles what generators make of the document.',
  tests: clientTests,
  longMeans: 'also compiles the client of progenitor, for several minutes',
});
