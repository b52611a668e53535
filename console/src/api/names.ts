import { findNameFault } from '../../../src/domain/name.ts';
import { nameFaultTexts, nameMissing } from '../texts/errors.ts';

/** Why a name cannot be stored; undefined if it can. */
export function nameFault(name: string): string | undefined {
  const fault = findNameFault(name);
  return fault && nameFaultTexts[fault];
}

/** Why the name of a row of a file cannot be stored. */
export function rowNameFault(name: string): string | undefined {
  return findNameFault(name) === 'blank' ? nameMissing : nameFault(name);
}
