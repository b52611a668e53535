import { findNameFault, type NameFault, nameLengthMax } from '../../domain/name.ts';

const messages: Readonly<Record<NameFault, string>> = {
  blank: 'Give a name.',
  too_long: `A name has at most ${nameLengthMax} characters.`,
  control_character: 'A name has no tabs, line ends or other control characters.',
  lone_surrogate: 'The name contains a broken character (a lone surrogate).',
};

/** Why a name cannot be stored; undefined if it can. */
export function nameFault(name: string): string | undefined {
  const fault = findNameFault(name);
  return fault && messages[fault];
}
