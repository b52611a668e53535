import { findNameFault } from '../../domain/name.ts';
import { nameFaultTexts } from '../texts/errors.ts';

/** Why a name cannot be stored; undefined if it can. */
export function nameFault(name: string): string | undefined {
  const fault = findNameFault(name);
  return fault && nameFaultTexts[fault];
}
