import { backupKill } from './faults/backup-kill.ts';
import { operatorActions } from './faults/operator-actions.ts';
import { restoreCommands } from './faults/restore-commands.ts';
import { restoreKill } from './faults/restore-kill.ts';
import { runLongTests } from './faults/run-long-tests.ts';
import { soak } from './faults/soak.ts';
import { upgrades } from './faults/upgrade.ts';
import { hostileTests } from './hostile/hostile-tests.ts';

// What finds more with more rounds. Each promise is also tested by `npm test`, `test:faults` or `test:hostile`, with few rounds.

await runLongTests({
  command: 'npm run test:long',
  description:
    'Runs the long forms: the published document, parsers that are not ours, timing, memory, a kill at each step, random sequences and a load of ten minutes.',
  tests: [
    ...hostileTests,
    backupKill,
    restoreKill,
    restoreCommands,
    ...upgrades,
    operatorActions,
    soak,
  ],
});
