import { print } from '../../src/cli/print.ts';
import type { BenchResult } from '../result.ts';
import { computeFigures } from './figures.ts';
import { formatAnimals, formatNumber } from './format.ts';
import { enginesTable, severalServersTable, singleInsertsTable } from './postgres-tables.ts';
import { showTable } from './table.ts';
import {
  backupTable,
  figuresTable,
  growthCostTable,
  growthSizeTable,
  machineTable,
  scenarioTable,
  slowFlushTable,
  stepTable,
} from './tables.ts';

/** Everything that was found, for a terminal. */
export function printResult(result: BenchResult): void {
  const { scenarios, growth, slowFlush, demo, steps, postgres, backup, notes } = result;
  showTable(`Bench, ${result.command}`, machineTable(result));
  for (const scenario of scenarios) showTable(scenario.title, scenarioTable(scenario));
  if (slowFlush.length > 0) showTable('List beside a slow flush', slowFlushTable(slowFlush));
  if (growth !== undefined) {
    showTable('Growth', growthSizeTable(growth));
    showTable('Cost as the data grows', growthCostTable(growth));
  }
  if (demo !== undefined) {
    print(
      `\n${formatAnimals(demo.animals)} demo animals: ${demo.seconds.map(formatNumber).join(', ')} s`,
    );
  }
  if (steps !== undefined) showTable('Steps of a request', stepTable(steps));
  if (postgres !== undefined) {
    showTable(`On PostgreSQL ${postgres.version}`, enginesTable(postgres));
    showTable(`Single inserts by ${postgres.singleInserts.program}`, singleInsertsTable(postgres));
    showTable('List of 20, from several servers', severalServersTable(postgres));
  }
  if (backup !== undefined) {
    showTable(`Writes beside a backup of ${formatAnimals(backup.animals)}`, backupTable(backup));
  }
  showTable('Figures to reach', figuresTable(computeFigures(result)));
  if (notes.length > 0) print(`\n${notes.join('\n')}`);
}
