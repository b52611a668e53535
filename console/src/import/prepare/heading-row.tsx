import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../parts/controls.tsx';
import { prepareTexts as texts } from '../../texts/import.ts';
import { firstRowsCount } from './headings.ts';
import { countColumns, type Mapping, type Rows } from './mapping.ts';

/** The choice that no row has headings. */
const none = -1;

/** The first rows of the file, of which the user clicks the one with the headings. */
export function HeadingRow(props: {
  readonly rows: Rows;
  readonly chosen: Mapping['headingRow'];
  readonly onSelect: (index: number) => void;
  readonly fault: string | undefined;
}) {
  const { rows, chosen, onSelect, fault } = props;
  const shownCount = useSignal(firstRowsCount);
  const id = useId();
  const columns = [...Array(Math.min(countColumns(rows), 50)).keys()];
  const radio = (index: number, label?: string) => (
    <input
      type="radio"
      id={`${id}-${index}`}
      name={id}
      aria-label={label}
      checked={chosen === index}
      onChange={() => onSelect(index)}
    />
  );
  const classOf = (index: number) => {
    if (chosen === undefined || index > chosen) return undefined;
    return index === chosen ? 'chosen' : 'above';
  };
  return (
    <fieldset class={fault === undefined ? 'headings' : 'headings faulty'}>
      <legend>{texts.headings}</legend>
      <p class="hint">{texts.headingsHint}</p>
      <section class="preview" aria-label={texts.headings} tabIndex={0}>
        <table>
          <tbody>
            {rows.slice(0, shownCount.value).map(({ line, cells }, index) => (
              <tr key={line} class={classOf(index)}>
                <th scope="row">
                  <label for={`${id}-${index}`}>
                    {radio(index, texts.headingsInLine(line))}
                    {line}
                  </label>
                </th>
                {columns.map((column) => (
                  <td key={column}>
                    <label for={`${id}-${index}`}>{cells[column]?.slice(0, 60)}</label>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <label for={`${id}-${none}`}>
        {radio(none)}
        {texts.noHeadings}
      </label>
      {rows.length > shownCount.value && (
        <Button
          kind="quiet"
          onClick={() => {
            shownCount.value += firstRowsCount;
          }}
        >
          {texts.moreRows}
        </Button>
      )}
      {fault !== undefined && <p>{fault}</p>}
    </fieldset>
  );
}
