import { petStatuses } from '../../domain/pet.ts';
import { members } from '../animals/members.ts';
import { SelectField } from '../parts/controls.tsx';
import { common } from '../texts/common.ts';
import { prepareTexts as texts } from '../texts/import.ts';
import type { Table } from './import-file.ts';
import type { Mapping } from './import-plan.ts';

interface MappingProps {
  readonly mapping: Mapping;
  readonly onMapping: (mapping: Mapping) => void;
}

/** Asks which column has which member. */
export function MappingFields(props: MappingProps & { readonly table: Pick<Table, 'rows'> }) {
  const { table, mapping, onMapping } = props;
  const { hasHeader, columns } = mapping;
  const first = table.rows[0]?.cells.map((cell) => cell.trim()) ?? [];
  const columnCount = Math.max(...table.rows.slice(0, 100).map(({ cells }) => cells.length));
  const columnOptions = Array.from({ length: columnCount }, (_none, index) => {
    const title = (hasHeader !== false && first[index]) || texts.column(index + 1);
    return [String(index), title] as const;
  });
  return (
    <div class="mapping">
      <SelectField
        label={texts.firstRow}
        hint={first.join(' · ').slice(0, 80)}
        value={hasHeader === undefined ? '' : hasHeader ? 'names' : 'animal'}
        options={[
          ...(hasHeader === undefined ? [['', texts.chooseFirstRow] as const] : []),
          ['names', texts.firstRowNames],
          ['animal', texts.firstRowAnimal],
        ]}
        onSelect={(value) => onMapping({ ...mapping, hasHeader: value === 'names' })}
      />
      {members.map(({ name, absent }) => {
        const column = columns.get(name);
        const needsNone = absent !== undefined || column === undefined;
        return (
          <SelectField
            key={name}
            label={texts.columnOf(common[name])}
            value={String(column ?? '')}
            options={[
              ...(needsNone ? [['', absent ?? texts.chooseColumn] as const] : []),
              ...columnOptions,
            ]}
            onSelect={(value) => {
              const next = new Map(columns);
              if (value === '') next.delete(name);
              else next.set(name, Number(value));
              onMapping({ ...mapping, columns: next });
            }}
          />
        );
      })}
    </div>
  );
}

/** Asks what the words of the file for a status mean. */
export function StatusWords(props: MappingProps & { readonly words: readonly string[] }) {
  const { words, mapping, onMapping } = props;
  return (
    <div class="mapping">
      {words.map((word) => (
        <SelectField
          key={word}
          label={texts.wordMeans(word.slice(0, 40))}
          value={mapping.statusWords.get(word) ?? ''}
          options={[
            ['', texts.noStatus],
            ...petStatuses.map((status) => [status, status] as const),
          ]}
          onSelect={(value) => {
            const statusWords = new Map(mapping.statusWords);
            const status = petStatuses.find((one) => one === value);
            if (status === undefined) statusWords.delete(word);
            else statusWords.set(word, status);
            onMapping({ ...mapping, statusWords });
          }}
        />
      ))}
    </div>
  );
}
