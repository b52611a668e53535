import { runLongTests } from '../faults/run-long-tests.ts';
import { hostileTests } from './hostile-tests.ts';

await runLongTests({
  command: 'npm run test:hostile',
  description:
    'Sends hostile input in large numbers and checks that the promises of test/promises.json hold.',
  tests: hostileTests,
  longMeans: 'many more requests',
});
