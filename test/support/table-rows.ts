/** The rows of a Markdown table, after the heading that starts with a text and its line of dashes. */
export function tableRows(text: string, heading: string): string[] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(heading));
  const rows = lines.slice(start + 2);
  return rows.slice(
    0,
    rows.findIndex((line) => !line.startsWith('|')),
  );
}
