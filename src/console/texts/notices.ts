/** Messages at the end of the page. */
export const texts = {
  undo: 'Undo',
  undoing: 'Undoing…',
  undoOf: (text: string) => `Undo: ${text}`,
  earlier: (count: number) => `and ${count.toLocaleString()} earlier`,
  notUndone: (text: string, reason: string) => `“${text}” was not undone. ${reason}`,
} as const;
