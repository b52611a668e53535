import type { RowFault } from './import-plan.ts';

const listedFaultsMax = 1000;

/** Every row that is left out, with what is wrong with it. */
export function FaultList({
  faults,
  title,
}: {
  readonly faults: readonly RowFault[];
  readonly title: string;
}) {
  if (faults.length === 0) return null;
  return (
    <section class="preview faults" aria-label={title} tabIndex={0}>
      <table>
        <caption>{title}</caption>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Column</th>
            <th scope="col">Value</th>
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {faults.slice(0, listedFaultsMax).map(({ index, line, column, value, reason }) => (
            <tr key={index}>
              <td class="number">{line}</td>
              <td>{column}</td>
              <td>{value === '' ? <em>nothing</em> : value.slice(0, 64)}</td>
              <td>{reason}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {faults.length > listedFaultsMax && <p>And {faults.length - listedFaultsMax} more.</p>}
    </section>
  );
}
