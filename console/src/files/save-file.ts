/** Saves the parts as a file of the browser. */
export function saveCsvFile(name: string, parts: readonly string[]): void {
  // Without the byte order mark, spreadsheets read the file in an old character set.
  const blob = new Blob(['\ufeff', ...parts], { type: 'text/csv;charset=utf-8' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
