import { faults } from './faults.ts';
import { type Results, readResults, writeResults } from './results.ts';
import { runEach } from './run-each.ts';

await runEach({
  command: 'npm run test:faults',
  description: 'Makes things go wrong under load, and checks that the promises hold.',
  faults,
  longMeans: 'more rounds, where a fault is done again and again',
  write: {
    means: 'put the figures into docs/promises.md',
    run(outcomes, long) {
      const results: Results = { ...readResults() };
      const measuredOn = new Date().toISOString().slice(0, 10);
      for (const [name, { figures }] of outcomes) results[name] = { measuredOn, long, figures };
      writeResults(faults, results);
    },
  },
});
