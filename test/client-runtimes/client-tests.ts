import { commonjs } from './commonjs.ts';
import { generators } from './generators.ts';
import { recipes } from './recipes.ts';
import { runtimes } from './runtimes.ts';
import { streamLibraries } from './stream-libraries.ts';

// Most of the time is spent in installations, so half of them run beside the others.
const beside = [streamLibraries, ...generators].map(
  (test) => ({ ...test, isPatient: true }) as const,
);

/** Every test of the client, in the order of the runs. */
export const clientTests = [...runtimes, ...recipes, commonjs, ...beside];
