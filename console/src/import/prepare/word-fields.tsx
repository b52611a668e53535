import { useSignal } from '@preact/signals';
import { Fragment, type JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { petStatuses } from '../../../../src/domain/pet.ts';
import { type CategoryChoice, fromValue, toValue } from '../../categories/category-choice.ts';
import { categoryOptions, optionOf } from '../../categories/category-picker.tsx';
import { ComboboxField } from '../../parts/combobox/combobox.tsx';
import type { Option } from '../../parts/combobox/options.ts';
import { Button, SelectField } from '../../parts/controls.tsx';
import { prepareTexts as texts } from '../../texts/import.ts';
import { statusName } from '../../texts/status.ts';
import type { Mapping } from './mapping.ts';
import { statusAnswer, type Word } from './words.ts';

const pageWords = 60;
/** Each field lists this many new categories, so that another word can be the same. */
const newNamesMax = 60;

interface WordFieldsProps {
  readonly words: readonly Word[];
  readonly mapping: Mapping;
  readonly onMapping: (change: Partial<Mapping>) => void;
  readonly showsFaults: boolean;
  /** How often the user has begun the import without all answers. */
  readonly attempts: number;
}

/** Asks what the words of the file for a status mean. */
export function StatusWords({ words, mapping, onMapping, ...rest }: WordFieldsProps) {
  const { statusWords } = mapping;
  const answerOf = ({ key }: Word) => statusAnswer(mapping, key) ?? '';
  const open = words.filter((word) => answerOf(word) === '');
  const select = (changed: readonly Word[], value: string) => {
    const answer = petStatuses.find((one) => one === value) ?? 'none';
    const answers = changed.map(({ key }) => [key, answer] as const);
    onMapping({ statusWords: new Map([...statusWords, ...answers]) });
  };
  return (
    <Words
      title={texts.statusWords}
      words={words}
      answerOf={answerOf}
      fieldOf={(word, field) => (
        <SelectField
          {...field}
          options={[
            ...(field.value === '' ? [['', texts.choose] as const] : []),
            ...petStatuses.map((status) => [status, statusName(status)] as const),
            ['none', texts.noWord],
          ]}
          onSelect={(value) => select([word], value)}
        />
      )}
      {...rest}
      forAll={
        open.length > 1
          ? { text: texts.leaveOutAll(open.length), run: () => select(open, 'none') }
          : undefined
      }
    />
  );
}

/** Asks which categories the words of the file mean. */
export function CategoryWords({ words, mapping, onMapping, ...rest }: WordFieldsProps) {
  const { categoryWords } = mapping;
  const answerOf = ({ key }: Word) => textOf(categoryWords.get(key));
  const open = words.filter((word) => answerOf(word) === '' && word.newName !== undefined);
  const answer = (answers: readonly (readonly [string, CategoryChoice | 'none'])[]) =>
    onMapping({ categoryWords: new Map([...categoryWords, ...answers]) });
  const createAll = () =>
    answer(open.map(({ key, newName = '' }) => [key, { kind: 'new', text: newName }]));
  const answers = [...categoryWords.values()].filter((one) => one !== 'none');
  const newNames = [
    ...new Set(answers.flatMap(({ kind, text }) => (kind === 'new' ? text : []))),
  ].slice(0, newNamesMax);
  /** Another word can be the same new category. */
  const others = [...newNames.map((text) => optionOf({ kind: 'new', text })), leaveOut];
  const shared = [...categoryOptions.value, ...others];
  /** First what the word itself can be. */
  const optionsOf = ({ newName, freeNumber }: Word): readonly Option[] => {
    const own = newName === undefined ? [] : [optionOf({ kind: 'new', text: newName })];
    const number = freeNumber === undefined ? [] : [secondCategory(freeNumber)];
    const isOther = ({ value }: Option) => value !== own[0]?.value;
    return [...own, ...number, ...shared.filter(isOther)];
  };
  return (
    <Words
      title={texts.categoryWords}
      hint={
        words.every(({ newName }) => newName !== undefined)
          ? texts.categoryWordsHint
          : texts.categoryNumbersHint
      }
      words={words}
      answerOf={answerOf}
      fieldOf={(word, field) => (
        <ComboboxField
          {...field}
          placeholder={texts.choose}
          options={optionsOf(word)}
          optionsOf={(typed) => [optionOf({ kind: 'new', text: typed })]}
          onSelect={(value) =>
            answer([[word.key, value === leaveOut.value ? 'none' : fromValue(value)]])
          }
        />
      )}
      {...rest}
      forAll={open.length > 0 ? { text: texts.createAll(open.length), run: createAll } : undefined}
    />
  );
}

/** The value of an answer, as that of an option. */
function textOf(choice: CategoryChoice | 'none' | undefined): string {
  return typeof choice === 'object' ? toValue(choice) : (choice ?? '');
}

const leaveOut: Option = { value: 'none', text: texts.noWord };

const secondCategory = (text: string): Option => ({
  value: toValue({ kind: 'number', text }),
  text: texts.secondCategory(text),
});

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

interface WordField {
  readonly label: string;
  readonly value: string;
  readonly fault: string | undefined;
}

function Words(props: {
  readonly title: string;
  readonly hint?: string;
  readonly words: readonly Word[];
  readonly answerOf: (word: Word) => string;
  readonly fieldOf: (word: Word, field: WordField) => JSX.Element;
  readonly showsFaults: boolean;
  readonly attempts: number;
  /** One answer for all words without one. */
  readonly forAll: { readonly text: string; readonly run: () => void } | undefined;
}) {
  const { title, hint, words, answerOf, fieldOf, showsFaults, attempts, forAll } = props;
  const section = useRef<HTMLElement>(null);
  const from = useSignal(0);
  const start = from.value < words.length ? from.value : 0;
  const shown = words.slice(start, start + pageWords);
  const isOpen = (word: Word) => answerOf(word) === '';
  useLayoutEffect(() => {
    // The field without an answer gets the focus, so it must be shown.
    const firstOpen = words.findIndex(isOpen);
    if (attempts === 0 || firstOpen < 0 || shown.some(isOpen)) return;
    from.value = firstOpen - (firstOpen % pageWords);
  }, [attempts]);
  const focusFirst = () => section.current?.querySelector<HTMLElement>('select, input')?.focus();
  const turnTo = (place: number) => {
    from.value = place;
    setTimeout(focusFirst);
  };
  if (words.length === 0) return null;
  return (
    <section ref={section} aria-label={title}>
      <h3>{title}</h3>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {forAll !== undefined && (
        <Button
          onClick={() => {
            forAll.run();
            // The button, which has the focus, is removed.
            focusFirst();
          }}
        >
          {forAll.text}
        </Button>
      )}
      <div class="mapping">
        {shown.map((word) => {
          const value = answerOf(word);
          const label = texts.word(shorten(word.text) || texts.emptyWord, word.rowCount);
          const fault = showsFaults && value === '' ? texts.chooseFault : undefined;
          return <Fragment key={word.key}>{fieldOf(word, { label, value, fault })}</Fragment>;
        })}
      </div>
      {words.length > pageWords && (
        <div class="pages">
          <Button disabled={start === 0} onClick={() => turnTo(start - pageWords)}>
            {texts.previousWords}
          </Button>
          <p role="status">{texts.wordsShown(start + 1, start + shown.length, words.length)}</p>
          <Button
            disabled={start + pageWords >= words.length}
            onClick={() => turnTo(start + pageWords)}
          >
            {texts.nextWords}
          </Button>
        </div>
      )}
    </section>
  );
}
