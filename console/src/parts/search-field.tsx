import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

/** A field that searches a moment after the last key. */
export function SearchField(props: {
  readonly label: string;
  /** A shorter label, which fits into the field on a phone. */
  readonly placeholder?: string;
  /** The text in the address. */
  readonly text: string;
  readonly lengthMax: number;
  readonly onSearch: (text: string) => void;
}) {
  const { label, placeholder = label, text, lengthMax, onSearch } = props;
  const typed = useSignal(text);
  /** The text that typing put into the address. Any other text comes from elsewhere, such as from Back. */
  const written = useRef(text);
  useEffect(() => {
    if (text === written.current) return;
    written.current = text;
    typed.value = text;
  }, [text]);
  useEffect(() => {
    if (typed.value.trim() === written.current) return;
    const timer = setTimeout(() => {
      written.current = typed.peek().trim();
      onSearch(written.current);
    }, 250);
    return () => clearTimeout(timer);
  }, [typed.value]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={typed.value}
      maxLength={lengthMax}
      onInput={({ currentTarget }) => {
        typed.value = currentTarget.value;
      }}
    />
  );
}
