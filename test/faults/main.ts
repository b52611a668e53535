import { faults } from './faults.ts';
import { type Results, readResults, writeResults } from './results.ts';
import { runLongTests } from './run-long-tests.ts';

await runLongTests({
  command: 'npm run test:faults',
  description: 'Causes faults under load and checks that the promises of test/promises.json hold.',
  tests: faults,
  longMeans: 'more rounds of the tests that repeat their fault',
  write: {
    means: 'write the figures into test/faults/results.json',
    run(outcomes, long) {
      const results: Results = { ...readResults() };
      const measuredOn = new Date().toISOString().slice(0, 10);
      for (const [name, { figures }] of outcomes) results[name] = { measuredOn, long, figures };
      writeResults(results);
    },
  },
});
