import { ShortTable } from '../parts/display.tsx';
import { prepareTexts as texts } from '../texts/import.ts';
import type { RowFault } from './import-plan.ts';

const listedFaultsMax = 1000;

/** The rows that are left out, with their faults. */
export function FaultList(props: { readonly faults: readonly RowFault[]; readonly title: string }) {
  const { faults, title } = props;
  if (faults.length === 0) return null;
  return (
    <section class="preview faults" aria-label={title} tabIndex={0}>
      <ShortTable
        caption={title}
        columns={[texts.line, texts.columnHeading, texts.value, texts.reason]}
      >
        {faults.slice(0, listedFaultsMax).map(({ index, line, column, value, reason }) => (
          <tr key={index}>
            <td class="number">{line}</td>
            <td>{column}</td>
            <td>{value === '' ? <em>{texts.nothing}</em> : value.slice(0, 64)}</td>
            <td>{reason}</td>
          </tr>
        ))}
      </ShortTable>
      {faults.length > listedFaultsMax && <p>{texts.andMore(faults.length - listedFaultsMax)}</p>}
    </section>
  );
}
