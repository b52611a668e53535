import { getFormatFromId } from 'numfmt';
import type { Parts } from './parts.ts';
import { type Culture, createShowNumber, type ShowNumber } from './shown-number.ts';

/** From this id on, a workbook defines its formats itself. */
const ownFormatIdMin = 164;

/** Returns what shows a number in a cell with a style. */
export function readStyles(
  parts: Parts,
  name: string | undefined,
  culture: Culture,
): (style: number) => ShowNumber {
  const codes = new Map<number, string>();
  const formatIds: number[] = [];
  if (name !== undefined) {
    parts.read(name, {
      open({ name: element, parent, attribute }) {
        if (element === 'numFmt' && parent === 'numFmts') {
          codes.set(Number(attribute('numFmtId')), attribute('formatCode') ?? '');
        }
        if (element === 'xf' && parent === 'cellXfs') {
          formatIds.push(Number(attribute('numFmtId') ?? 0));
        }
      },
    });
  }

  function codeOf(formatId: number): string {
    const isBuiltIn = formatId > 0 && formatId < ownFormatIdMin;
    return (
      codes.get(formatId) ??
      (isBuiltIn ? getFormatFromId(formatId, culture.locale) : undefined) ??
      'General'
    );
  }

  const shown = new Map<number, ShowNumber>();
  return (style) => {
    const formatId = formatIds[style] ?? 0;
    const known = shown.get(formatId);
    if (known !== undefined) return known;
    const made = createShowNumber(codeOf(formatId), culture);
    shown.set(formatId, made);
    return made;
  };
}
