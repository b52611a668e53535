const pressed = 'a, button, input, select, summary, [role=row]';

/**
 * A key that is held presses nothing again. It would otherwise answer a question that it has just opened, or submit the form of the
 * row that has the focus after an answer.
 */
export function ignoreHeldKeys(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    const { repeat, key, target } = event;
    if (!repeat || (key !== 'Enter' && key !== ' ')) return;
    if (!(target instanceof Element) || !target.matches(pressed)) return;
    // In a text field, Space is text.
    if (key === ' ' && target.matches('input:not([type=checkbox], [type=radio])')) return;
    event.preventDefault();
    event.stopPropagation();
  };
  // Before the handlers of the rows.
  addEventListener('keydown', onKeyDown, { capture: true });
  return () => removeEventListener('keydown', onKeyDown, { capture: true });
}
