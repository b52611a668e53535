import { Button, CheckField, RadioField } from '../../parts/controls.tsx';
import { common } from '../../texts/common.ts';
import { prepareTexts as texts } from '../../texts/import.ts';
import type { RowFault } from '../import-plan.ts';
import type { Mapping } from './mapping.ts';
import type { PreparedPlan } from './plan-import.ts';
import type { useMatches } from './use-matches.ts';

interface AnswerProps {
  readonly mapping: Mapping;
  readonly onMapping: (change: Partial<Mapping>) => void;
}

/** Names the last rows that look like totals, so that the user can keep them. */
export function Totals(props: AnswerProps & { readonly totals: readonly RowFault[] }) {
  const { totals, mapping, onMapping } = props;
  // The rows that were left out before the user kept them.
  if (totals.length === 0 && !mapping.keepsTotals) return null;
  return (
    <div class="question">
      {totals.length > 0 && <p>{texts.totals(totals.length)}</p>}
      <ul>
        {totals.map(({ line, value }) => (
          <li key={line}>{texts.total(line, value)}</li>
        ))}
      </ul>
      <CheckField
        label={texts.keepTotals}
        isChecked={mapping.keepsTotals}
        onCheck={(keepsTotals) => onMapping({ keepsTotals })}
      />
    </div>
  );
}

/** What the catalogue has already, and what the file has twice. */
export function Found(
  props: AnswerProps & {
    readonly search: ReturnType<typeof useMatches>;
    readonly plan: PreparedPlan;
    readonly onAddFound: (indexes: readonly number[], isAdded: boolean) => void;
    readonly fault: string | undefined;
  },
) {
  const { search, plan, mapping, onMapping, onAddFound, fault } = props;
  const { foundRows, repeatedCount, unknownCount } = plan;
  if (search.fault !== undefined) {
    return (
      <div role="alert" class="fault">
        {texts.searchFailed} {search.fault}
        <Button onClick={search.retry}>{common.tryAgain}</Button>
      </div>
    );
  }
  if (!search.isDone) return null;
  return (
    <>
      {repeatedCount > 0 && (
        <RadioField
          label={texts.repeated(repeatedCount)}
          value={mapping.repeated ?? ''}
          options={[
            ['leave out', texts.skipRepeated(repeatedCount)],
            ['add', texts.addRepeated(repeatedCount)],
          ]}
          fault={fault}
          onSelect={(value) => onMapping({ repeated: value === 'add' ? value : 'leave out' })}
        />
      )}
      {foundRows.length > 0 && (
        <CheckField
          label={texts.addFound(foundRows.length)}
          isChecked={foundRows.every((index) => mapping.addedFound.has(index))}
          onCheck={(isAdded) => onAddFound(foundRows, isAdded)}
        />
      )}
      {plan.mode === 'update' && unknownCount > 0 && <p>{texts.unknownNumbers(unknownCount)}</p>}
    </>
  );
}

/** Asks about a category column of numbers that the catalogue does not have. */
export function CategoryNumbers(props: {
  readonly isOpen: boolean;
  readonly fault: string | undefined;
  readonly onAnswer: (answer: string) => void;
}) {
  return (
    <RadioField
      label={texts.numbersAsked}
      value={props.isOpen ? '' : 'yes'}
      options={[
        ['yes', texts.numbersAreCategories],
        ['no', texts.numbersAreOther],
      ]}
      fault={props.fault}
      onSelect={props.onAnswer}
    />
  );
}
