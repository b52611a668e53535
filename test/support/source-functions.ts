/** A function in formatted sources, from the line with its name to the line of its last brace. */
interface SourceFunction {
  /** Counted from 1. */
  readonly line: number;
  readonly lineCount: number;
  readonly hasMarkup: boolean;
}

const opening =
  /^(?:.*\bfunction\b.*\{|.*=> \{|(?:\)|\}: [^=]+\))(?:: .+)? (?:=> )?\{|(?:(?:async|static|get|set|override|readonly|private) )*[\w$#*[\].]+(?:<.*>)?\(.*\)(?:: .+)? \{)$/;
const statement = /^(?:if|for|while|switch|catch|with|do|else|return|try)\b|^\} /;

/** All functions of a text that Biome has formatted, including inner ones. Indentation shows their ends. */
export function functionsOf(text: string): SourceFunction[] {
  const lines = text.split('\n');
  const indentOf = (line: string) => line.length - line.trimStart().length;
  return lines.flatMap((line, index): SourceFunction[] => {
    const indent = indentOf(line);
    const code = line.trim();
    if (!opening.test(code) || (statement.test(code) && !/=> \{$|\bfunction\b/.test(code)))
      return [];
    const isSibling = (other: string) => other.trim() !== '' && indentOf(other) <= indent;
    const end = lines.findIndex((other, at) => at > index && isSibling(other));
    // The parameters are on several lines, so the function begins before them.
    const start = /^[)}]/.test(code) ? lines.slice(0, index).findLastIndex(isSibling) : index;
    const body = lines.slice(start, end + 1);
    const hasMarkup = body.some((other) => /^\s*(?:return )?<[\w>]/.test(other));
    return [{ line: start + 1, lineCount: body.length, hasMarkup }];
  });
}
