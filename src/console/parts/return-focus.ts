/** Gives the focus back to the element that has it now. If that is gone, as with the buttons of an animal that was sold, the next row gets it. */
export function rememberFocus(): () => void {
  const opener = document.activeElement;
  const row = opener?.closest('.rows [role=row]');
  const grid = row?.closest('[role=grid]');
  const index = Number(row?.getAttribute('aria-rowindex'));
  return () => {
    const places = [
      opener,
      grid?.querySelector(`[aria-rowindex="${index + 1}"]`),
      grid?.querySelector(`[aria-rowindex="${index}"]`),
      document.querySelector('main h1'),
    ];
    for (const place of places) {
      const isThere = place instanceof HTMLElement && place.isConnected;
      if (isThere && !place.matches(':disabled')) return place.focus();
    }
  };
}
