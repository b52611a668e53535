import { runEach } from '../faults/run-each.ts';
import { hostilities } from './hostilities.ts';

await runEach({
  command: 'npm run test:hostile',
  description: 'Does to the service what strangers may do, and checks that the promises hold.',
  faults: hostilities,
  longMeans: 'many more requests',
});
