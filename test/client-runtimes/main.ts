import { runLongTests } from '../faults/run-long-tests.ts';
import { commonjs } from './commonjs.ts';
import { generators } from './generators.ts';
import { recipes } from './recipes.ts';
import { runtimes } from './runtimes.ts';
import { streamLibraries } from './stream-libraries.ts';

await runLongTests({
  command: 'npm run test:client',
  description:
    'Packs the client, installs it in another folder, and runs it against a real server in every supported runtime. Runs the ' +
    'recipes of docs/clients.md, and compiles what generators make of the document.',
  tests: [...runtimes, ...recipes, commonjs, streamLibraries, ...generators],
  longMeans: 'also compiles the client of progenitor, for several minutes',
});
