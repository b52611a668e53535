import { backupKill } from './backup-kill.ts';
import { proxyFaults } from './behind-proxies.ts';
import { clocks } from './clock.ts';
import { descriptors } from './descriptors.ts';
import { diskFull } from './disk-full.ts';
import { feed } from './feed.ts';
import { ioErrors } from './io-errors.ts';
import { kills, stop } from './kill.ts';
import type { LongTest } from './long-test.ts';
import { operatorActions } from './operator-actions.ts';
import { overload } from './overload.ts';
import { patroniFaults } from './patroni-faults.ts';
import { postgresFaults } from './postgres-faults.ts';
import { powerCuts } from './power.ts';
import { readOnly } from './read-only.ts';
import { restoreCommands } from './restore-commands.ts';
import { restoreKill } from './restore-kill.ts';
import { rollingUpgrades } from './rolling-upgrade.ts';
import { slowClients } from './slow-clients.ts';
import { soak } from './soak.ts';
import { soldOnce } from './sold-once.ts';
import { streams } from './streams.ts';
import { upgrades } from './upgrade.ts';
import { webhookTakeover } from './webhook-takeover.ts';

/** Every fault, in the order of the runs. */
export const faults: readonly LongTest[] = [
  ...kills,
  ...soldOnce,
  ...powerCuts,
  ioErrors,
  diskFull,
  readOnly,
  operatorActions,
  descriptors,
  slowClients,
  overload,
  stop,
  feed,
  ...streams,
  webhookTakeover,
  ...proxyFaults,
  backupKill,
  restoreKill,
  restoreCommands,
  ...upgrades,
  ...rollingUpgrades,
  ...clocks,
  ...postgresFaults,
  ...patroniFaults,
  soak,
];
