import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Inventory } from '../../../client/src/contract.ts';
import { nameLengthMax } from '../../domain/name.ts';
import { petStatuses } from '../../domain/pet.ts';
import { hasScope } from '../api/session.ts';
import { CategoriesFault } from '../categories/categories-fault.tsx';
import { categories, unnamedNumbers } from '../categories/categories-state.ts';
import { useAction } from '../parts/action.ts';
import { Button, Select } from '../parts/controls.tsx';
import { StatusChoices } from '../parts/display.tsx';
import { showNotice } from '../parts/notices.tsx';
import { addressOf, go, route } from '../route.ts';
import { formTexts, texts } from '../texts/animals.ts';
import { texts as categoryTexts } from '../texts/categories.ts';
import { common, frame } from '../texts/common.ts';
import { exportAnimals } from './export.ts';
import type { Filter } from './filter.ts';

export function AnimalToolbar(props: {
  readonly filter: Filter;
  readonly counts: Inventory | undefined;
  readonly onAdd: () => void;
  /** Further buttons. */
  readonly children: ComponentChildren;
}) {
  const { filter, counts, onAdd, children } = props;
  const { status, name, categoryId } = filter;
  const query = { status, name, category: categoryId?.toString() };
  const exporting = useAction(async () => {
    showNotice(texts.exported(await exportAnimals(filter)));
  });
  // The counts are those of the whole catalogue, and not of a search.
  const isWhole = name === undefined && categoryId === undefined;
  const total = counts && counts.available + counts.pending + counts.sold;
  return (
    <div class="toolbar">
      <StatusChoices
        statuses={petStatuses}
        chosen={status}
        addressOf={(one) => addressOf('animals', { ...query, status: one })}
        countOf={(one) => (isWhole ? (one === undefined ? total : counts?.[one]) : undefined)}
      />
      <div class="filters">
        <Search name={name ?? ''} />
        <CategoryFilter
          id={query.category ?? ''}
          onSelect={(category) => go('animals', { ...query, category })}
        />
      </div>
      <div class="actions">
        <Button onClick={exporting.run} disabled={exporting.isRunning}>
          {exporting.isRunning ? texts.exporting : texts.export}
        </Button>
        {children}
        {hasScope('pets:write') && (
          <>
            <a class="button plain" href={addressOf('import')}>
              {frame.titles.import}
            </a>
            <Button kind="main" onClick={onAdd}>
              {formTexts.add}
            </Button>
          </>
        )}
      </div>
      {exporting.fault !== undefined && <p role="alert">{exporting.fault}</p>}
      <CategoriesFault />
    </div>
  );
}

/** Searches a moment after the last key. */
function Search({ name }: { readonly name: string }) {
  const typed = useSignal(name);
  /** The name that typing put into the address. Any other name comes from elsewhere, such as from Back. */
  const written = useRef(name);
  useEffect(() => {
    if (name === written.current) return;
    written.current = name;
    typed.value = name;
  }, [name]);
  useEffect(() => {
    if (typed.value === written.current) return;
    const timer = setTimeout(() => {
      // The page of an animal was opened just after the last key.
      if (route.peek().record !== undefined) return;
      written.current = typed.peek().trim();
      const now = Object.fromEntries(route.peek().query);
      go('animals', { ...now, name: written.current }, 'replaceState');
    }, 250);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <input
      type="search"
      aria-label={texts.search}
      placeholder={texts.search}
      value={typed.value}
      maxLength={nameLengthMax}
      onInput={({ currentTarget }) => {
        typed.value = currentTarget.value;
      }}
    />
  );
}

function CategoryFilter(props: { readonly id: string; readonly onSelect: (id: string) => void }) {
  const { id, onSelect } = props;
  const known = categories.value.map((category) => [String(category.id), category.name] as const);
  const unnamed = unnamedNumbers.value.map(
    (number) => [String(number), categoryTexts.unnamed(String(number))] as const,
  );
  const options = [['', texts.allCategories] as const, ...known, ...unnamed];
  return <Select {...{ options, onSelect }} aria-label={common.category} value={id} />;
}
