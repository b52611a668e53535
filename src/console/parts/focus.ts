/** Moves the focus into the screen if the control that had it is gone: to the row of the keyboard, or to the heading. */
export function focusMain(): void {
  if (document.activeElement !== document.body) return;
  const rows = document.querySelectorAll<HTMLElement>('main [role=row][tabindex="0"]');
  // The list behind the page of an animal is hidden.
  const row = [...rows].find(({ offsetParent }) => offsetParent !== null);
  (row ?? document.querySelector<HTMLElement>('main h1'))?.focus();
}
