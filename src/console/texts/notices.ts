/** Messages at the end of the page. */
export const texts = {
  undo: 'Undo',
  undoing: 'Undoing…',
  undoOf: (text: string) => `Undo: ${text}`,
  ended: (text: string) => `${text} Another user has changed this since, so it cannot be undone.`,
  earlier: (count: number) => `and ${count.toLocaleString()} earlier`,
  notUndone: (text: string, reason: string) => `“${text}” was not undone. ${reason}`,
} as const;
