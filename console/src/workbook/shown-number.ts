import { format, getFormatDateInfo, getFormatInfo, getLocale } from 'numfmt';
import { workbookTexts as texts } from '../texts/files.ts';

export interface ShownCell {
  readonly text: string;
  /** Why the text is not exactly what was entered. */
  readonly fault?: string;
}

/** Shows a number as the spreadsheet does. Gets it as the workbook stores it. */
export type ShowNumber = (stored: string) => ShownCell;

export interface Culture {
  /** BCP 47. Spreadsheets show some formats in the language of their user. */
  readonly locale: string;
  /** Days count from 1904, as in workbooks of early Macs. */
  readonly isDate1904: boolean;
}

/** Spreadsheets calculate with this many digits. */
const digitsMax = 15;
/** The days between the first days of workbooks that count from 1900 and from 1904. */
const daysTo1904 = 1462;
const generalCode = 'General';

/** Returns what shows the numbers of cells with a number format. */
export function createShowNumber(code: string, { locale, isDate1904 }: Culture): ShowNumber {
  const options = {
    locale,
    throws: false,
    invalid: '',
    // As Excel: no dates before 1900 and after 9999.
    dateErrorNumber: false,
    dateSpanLarge: false,
  };
  const { type } = getFormatInfo(code);
  const { year, month, day } = getFormatDateInfo(code);
  const shift = isDate1904 && (year || month || day) ? daysTo1904 : 0;
  const { decimal = '.', group = ',' } = getLocale(locale) ?? {};

  /** Whether a text has only separators and zeros that the digits do not have. */
  function isRewritten(shown: string, digits: string): boolean {
    const compact = shown.replaceAll(group, '').replace(/\s/g, '');
    const [whole, fraction = ''] = compact.split(decimal);
    return whole === digits && /^0*$/.test(fraction);
  }

  return (stored) => {
    const number = parseStored(stored);
    if (number === undefined) return { text: stored, fault: texts.notNumber };
    const { value, digits } = number;
    if (type === 'date' || type === 'time' || type === 'datetime') {
      const shown = format(code, value + shift, options);
      return /^#+$/.test(shown) ? { text: stored, fault: texts.notDate } : { text: shown };
    }
    if (digits !== undefined && isShortened(stored, digits)) {
      return { text: stored, fault: texts.lostDigits };
    }
    // Excel shows numbers of 12 digits, and longer ones that other programs wrote, in a shorter form.
    if (digits !== undefined && (type === 'scientific' || !Number.isSafeInteger(value))) {
      return { text: digits };
    }
    if (type === 'general' || type === 'text' || type === 'error') {
      if (code === '' || code.includes(';')) return { text: format(code, value, options) };
      return { text: digits ?? showDecimal(value, decimal, options) };
    }
    const shown = format(code, value, options).trim();
    return { text: digits !== undefined && isRewritten(shown, digits) ? digits : shown };
  };
}

interface StoredNumber {
  readonly value: number;
  /** Of a whole number, all its digits. */
  readonly digits?: string;
}

function parseStored(stored: string): StoredNumber | undefined {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d{1,3}))?$/i.exec(stored);
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match ?? [];
  const value = Number(stored);
  if (match === null || whole + fraction === '' || !Number.isFinite(value)) return undefined;
  const places = fraction.length - Number(exponent);
  const significant = (whole + fraction).replace(/^0+/, '');
  // A result such as 2.9999999999999996 is the whole number that the spreadsheet shows.
  const rounded = places > 0 ? Number(value.toPrecision(digitsMax)) : value;
  if (places > 0) {
    if (!Number.isInteger(rounded)) return { value };
    return { value: rounded, digits: BigInt(rounded).toString() };
  }
  const digits = significant === '' ? '0' : significant + '0'.repeat(-places);
  return { value, digits: sign === '-' && digits !== '0' ? `-${digits}` : digits };
}

/**
 * Whether digits can be lost. Excel replaces those of a whole number after the 15th by zeros. Other programs round them, and
 * write the result with an exponent, or as JavaScript does.
 */
function isShortened(stored: string, digits: string): boolean {
  const unsigned = digits.replace('-', '');
  if (unsigned.length <= digitsMax) return false;
  const isRounded = !Number.isSafeInteger(Number(digits)) && String(Number(digits)) === digits;
  return isRounded || /e/i.test(stored) || /^0+$/.test(unsigned.slice(digitsMax));
}

/** With up to 15 digits. The spreadsheet shows fewer of them in a narrow column. */
function showDecimal(
  value: number,
  decimal: string,
  options: NonNullable<Parameters<typeof format>[2]>,
): string {
  const text = String(Number(value.toPrecision(digitsMax)));
  return text.includes('e') ? format(generalCode, value, options) : text.replace('.', decimal);
}
