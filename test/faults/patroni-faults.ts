import { type PatroniCluster, patroniIsMissing, startPatroniCluster } from '../support/patroni.ts';
import { linesOf, seconds } from './figures.ts';
import type { LongTest, TestOutcome } from './long-test.ts';
import { runPostgresFault } from './postgres-load.ts';

/** A standby becomes leader after the 20 s for which the leader holds its role in etcd. */
const killMillisecondsMax = 30_000;
const switchoverMillisecondsMax = 5000;

export const patroniFaults: readonly LongTest[] = [
  {
    name: 'patroni-switchover',
    title: 'switchover of two nodes of Patroni with synchronous_mode',
    missing: patroniIsMissing,
    run: () => runOnCluster((cluster) => cluster.switchOver(), switchoverMillisecondsMax),
  },
  {
    name: 'patroni-leader-kill',
    title: 'leader of two nodes of Patroni with synchronous_mode killed (SIGKILL) with its Patroni',
    missing: patroniIsMissing,
    run: () => runOnCluster((cluster) => cluster.leader.end('SIGKILL'), killMillisecondsMax),
  },
];

/** Runs a fault on a new cluster. Its standby must lead at the end, because the animals are counted there. */
async function runOnCluster(
  cause: (cluster: PatroniCluster) => Promise<void>,
  recoveryMillisecondsMax: number,
): Promise<TestOutcome> {
  await using cluster = await startPatroniCluster();
  const { leader, standby, url } = cluster;
  let causeMilliseconds = 0;
  const outcome = await runPostgresFault({
    start: async () => leader,
    urlFor: () => url,
    async cause() {
      const startedAt = performance.now();
      await cause(cluster);
      causeMilliseconds = performance.now() - startedAt;
    },
    recoveryMillisecondsMax,
    survivor: () => standby,
  });
  const hasMoved = await standby.hasRole('primary');
  return {
    ...outcome,
    figures: [...outcome.figures, `fault took ${seconds(causeMilliseconds)}`],
    broken: [...outcome.broken, ...linesOf(!hasMoved && 'the standby did not become leader')],
  };
}
