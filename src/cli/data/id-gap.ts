import { wholeNumber } from '../../ops/setting-values.ts';

/** The distance of new ids above those of the restored data. */
export const idGapDefault = '1000000';

export const idGapParsers = { idGap: (text: string) => wholeNumber(text, 0, 999_999_999_999) };
