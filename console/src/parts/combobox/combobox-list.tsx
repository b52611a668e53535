import { useSignal } from '@preact/signals';
import * as combobox from '@zag-js/combobox';
import { normalizeProps, useMachine } from '@zag-js/preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { comboboxTexts as texts } from '../../texts/common.ts';
import { type ComboboxProps, findMeant, findOptions, type Option } from './options.ts';

/** More options are found by typing. */
const shownMax = 100;

// The machine takes an empty value for none.
const toKey = ({ value }: Option) => `=${value}`;
const fromKey = (key: string) => key.slice(1);

const { implementations } = combobox.machine;

type Action = NonNullable<NonNullable<typeof implementations>['actions']>[string];

const focusField: Action = ({ prop, scope }) =>
  scope.getById(prop('ids')?.input ?? '')?.focus({ preventScroll: true });

/** The library also moves the cursor to the end, a moment later, perhaps while the user edits the middle or composes a character. */
const machine: typeof combobox.machine = {
  ...combobox.machine,
  implementations: {
    ...implementations,
    actions: {
      ...implementations?.actions,
      setInitialFocus: focusField,
      setFinalFocus: focusField,
      syncInputValue() {},
      syncSelectedItems() {},
    },
  },
};

/** `first` is what the user typed before this was loaded. */
export function ComboboxList(props: ComboboxProps & { readonly first: string }) {
  const ownId = useId();
  const { id = ownId, label, isSearching = false, autofocus = false, onSelect } = props;
  const { list, isOpen, typed, matches, shown, leave, textNow } = useList(props, id);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (props.first === '' || input.current === null) return;
    input.current.focus();
    input.current.value = props.first;
    input.current.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }, []);
  useLayoutEffect(() => {
    const text = textNow();
    if (input.current !== null && input.current.value !== text) input.current.value = text;
  });
  /** When the list opens, so that the next key replaces the text. */
  const selectText = (field: HTMLInputElement) => {
    if (!isOpen) field.select();
  };
  const { onKeyDown, onClick, ...inputProps } = list.getInputProps();
  return (
    <div class="combobox" {...list.getControlProps()}>
      <input
        {...inputProps}
        ref={input}
        type="text"
        role="combobox"
        dir="auto"
        aria-controls={inputProps['aria-controls']}
        aria-expanded={isOpen}
        aria-label={props.id === undefined ? label : undefined}
        aria-describedby={props['aria-describedby']}
        aria-invalid={props['aria-invalid']}
        placeholder={props.placeholder}
        autofocus={autofocus}
        onBlur={leave}
        onClick={(event) => {
          selectText(event.currentTarget);
          onClick?.(event);
        }}
        onKeyDown={(event) => {
          // The machine would prevent it without a list too, and no dialog would close.
          if (event.key === 'Escape' && !isOpen) return;
          const key = list.highlightedValue;
          if (event.key === 'Tab' && typed?.trim() && key !== null) onSelect(fromKey(key));
          if (/^Arrow(?:Down|Up)$/.test(event.key)) selectText(event.currentTarget);
          onKeyDown?.(event);
        }}
      />
      {isOpen && (
        <div class="suggestions" {...list.getPositionerProps()}>
          <ul
            {...list.getContentProps()}
            hidden={shown.length === 0}
            aria-labelledby={undefined}
            aria-label={label}
          >
            {shown.map((option) => (
              // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the properties of the library have the role.
              <li
                key={option.value}
                {...list.getItemProps({ item: option })}
                // VoiceOver reads only an option that is selected.
                aria-selected={toKey(option) === list.highlightedValue}
              >
                <bdi>{option.text}</bdi>
                {option.hint !== undefined && <small>{option.hint}</small>}
              </li>
            ))}
          </ul>
          {shown.length === 0 && <p>{isSearching ? texts.searching : texts.found(0)}</p>}
          {matches.length > shownMax && <p>{texts.more(matches.length - shownMax)}</p>}
        </div>
      )}
      <span role="status" class="spoken">
        {isOpen && typed !== undefined && !isSearching && texts.found(matches.length)}
      </span>
    </div>
  );
}

/** The machine of a list, with the options that it shows. */
function useList(props: ComboboxProps, id: string) {
  const { value, options, optionsOf, onSelect, onType, autofocus = false } = props;
  const isOpen = useSignal(false);
  /** Undefined until the user types. */
  const typed = useSignal<string | undefined>(undefined);
  const find = (text = '') => findOptions(options, text, onType === undefined, optionsOf);
  // Each move of the highlight draws the list again, and does not search again.
  const matches = useMemo(
    () => (isOpen.value ? find(typed.value) : []),
    [isOpen.value, typed.value, options],
  );
  const shown = matches.slice(0, shownMax);
  const selected = options.find((option) => option.value === value);
  if (selected !== undefined && typed.value === undefined && !shown.includes(selected)) {
    shown.unshift(selected);
  }
  const textNow = () => typed.peek() ?? selected?.text ?? '';
  const service = useMachine(machine, {
    id,
    ids: {
      input: id,
      item: (key) => `${id}-${shown.findIndex((option) => toKey(option) === key)}`,
    },
    collection: combobox.collection({
      items: shown,
      itemToValue: toKey,
      itemToString: ({ text }) => text,
    }),
    value: selected === undefined ? [] : [toKey(selected)],
    inputValue: textNow(),
    autoFocus: autofocus,
    openOnClick: true,
    // So that a dialog does not cut it off.
    positioning: { strategy: 'fixed', fitViewport: true, gutter: 4 },
    onValueChange: ({ value: [key = ''] }) => onSelect(fromKey(key)),
    onInputValueChange({ inputValue, reason }) {
      if (reason !== 'input-change') return;
      typed.value = inputValue;
      onType?.(inputValue);
    },
    onOpenChange({ open }) {
      isOpen.value = open;
      if (open) return;
      typed.value = undefined;
      onType?.('');
    },
  });
  const list = combobox.connect(service, normalizeProps);
  const first = typed.value === undefined ? (selected ?? shown[0]) : shown[0];
  const firstKey = isOpen.value && typed.value?.trim() !== '' && first ? toKey(first) : undefined;
  // The library would do this after the next key, which is perhaps Enter.
  useLayoutEffect(() => {
    if (firstKey !== undefined) list.setHighlightValue(firstKey);
  }, [typed.value, firstKey]);
  /** Before a click on the button that sends the form. The list stays as it is until then, so that the button is not covered. */
  function leave(): void {
    const text = typed.peek();
    const meant = text === undefined ? undefined : findMeant(find(text), text);
    // Another window can have the focus for a moment.
    if (meant !== undefined && document.hasFocus()) onSelect(meant.value);
  }

  return { list, isOpen: isOpen.value, typed: typed.value, matches, shown, leave, textNow };
}
