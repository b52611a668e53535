// The members of an animal that people see and edit. Another member needs its line in `Draft`, `draftOf` and `members` here, its
// field in `animal-form.tsx`, and its texts.

import type { NewPet, Pet, PetPatch, PetStatus } from '../../../client/src/contract.ts';
import { defaultPetStatus, petStatuses } from '../../domain/pet.ts';
import { parseInteger } from '../api/integer.ts';
import { nameFault } from '../api/names.ts';
import type { CategoryChoice } from '../categories/category-choice.ts';
import { memberTexts as texts } from '../texts/animals.ts';

/** What a form, or a row of an import, has for an animal. */
export interface Draft {
  readonly name: string;
  readonly category: CategoryChoice;
  readonly status: PetStatus;
}

export interface CategoryNames {
  nameOf(id: bigint): string | undefined;
}

/** A new animal, in a category that was chosen. */
export function newDraft(category: CategoryChoice): Draft {
  return { name: '', category, status: defaultPetStatus };
}

export function draftOf(pet: Pet): Draft {
  const category: CategoryChoice = { kind: 'known', text: String(pet.categoryId) };
  return { name: pet.name, category, status: pet.status };
}

/** What a member is for forms, comparisons, imports and exports. */
interface Member {
  readonly name: keyof Draft;
  /** Headings of its column in an import, the surest first. */
  readonly headings: readonly string[];
  /** What an import without this column does; undefined if it needs the column. */
  readonly absent?: string;
  /** The headings of its columns in an export, with their cells. */
  readonly exported: Readonly<Record<string, (pet: Pet, names: CategoryNames) => string | bigint>>;
  /** The draft with the value of a cell, or the fault of the cell. */
  readonly read: (draft: Draft, cell: string, context: ReadContext) => Draft | CellFault;
  /** Its part of a request. */
  readonly send: (draft: Draft, categoryId: bigint) => PetPatch;
}

export interface ReadContext {
  /** Finds a category by its name; `unknown` if not all names could be read. */
  readonly idOf: (name: string) => bigint | 'unknown' | undefined;
  /** The statuses of other words, which are in lower case. */
  readonly statusWords: ReadonlyMap<string, PetStatus>;
}

export interface CellFault {
  readonly reason: string;
}

/** In the order of forms, comparisons and files. */
export const members: readonly Member[] = [
  {
    name: 'name',
    headings: ['name', 'animal', 'animal name', 'pet', 'pet name', 'title'],
    exported: { name: ({ name }) => name },
    read: (draft, name) => toFault(nameFault(name)) ?? { ...draft, name },
    send: ({ name }) => ({ name }),
  },
  {
    name: 'category',
    ...texts.category,
    headings: ['categoryid', 'category id', 'category_id', 'category', 'kind', 'species', 'type'],
    exported: {
      categoryId: ({ categoryId }) => categoryId,
      category: ({ categoryId }, { nameOf }) => nameOf(categoryId) ?? '',
    },
    read: readCategory,
    send: (_draft, categoryId) => ({ categoryId }),
  },
  {
    name: 'status',
    ...texts.status,
    headings: ['status', 'state', 'availability'],
    exported: { status: ({ status }) => status },
    read: (draft, cell, { statusWords }) => {
      const word = statusWordOf(cell);
      const status = knownStatusOf(word) ?? statusWords.get(word);
      return status === undefined ? { reason: texts.status.unknown } : { ...draft, status };
    },
    send: ({ status }) => ({ status }),
  },
];

/** By this text, two drafts are compared. */
function textOf({ name }: Member, draft: Draft): string {
  const value = draft[name];
  return typeof value === 'string' ? value : value.text;
}

export function isSame(member: Member, left: Draft, right: Draft): boolean {
  return textOf(member, left) === textOf(member, right);
}

/** The text of a member that people see. */
export function showMember({ name }: Member, draft: Draft, names: CategoryNames): string {
  const value = draft[name];
  return typeof value === 'string' ? value : showCategory(value, names);
}

/** What a form has changed since `before`, on top of what the animal is now. */
export function rebase(draft: Draft, before: Pet, now: Draft): Draft {
  let rebased = draft;
  const unchanged = members.filter((member) => isSame(member, draft, draftOf(before)));
  for (const { name } of unchanged) rebased = { ...rebased, [name]: now[name] };
  return rebased;
}

export function isSameDraft(left: Draft, right: Draft): boolean {
  return members.every((member) => isSame(member, left, right));
}

/** The request that creates an animal. */
export function newPetOf(draft: Draft, categoryId: bigint): NewPet {
  return { ...patchOf(members, draft, categoryId), name: draft.name, categoryId };
}

/** The request that changes what differs from `before`, and nothing else. */
export function changeOf(draft: Draft, categoryId: bigint, before: Pet): PetPatch {
  const changed = members.filter((member) => !isSame(member, draft, draftOf(before)));
  return patchOf(changed, draft, categoryId);
}

function patchOf(sent: readonly Member[], draft: Draft, categoryId: bigint): PetPatch {
  let patch: PetPatch = {};
  for (const { send } of sent) patch = { ...patch, ...send(draft, categoryId) };
  return patch;
}

/** A cell for a status, as words for a status are compared. */
export function statusWordOf(cell: string): string {
  return cell.trim().toLowerCase();
}

/** The status of an empty cell, or of a word of the service. */
export function knownStatusOf(word: string): PetStatus | undefined {
  return word === '' ? defaultPetStatus : petStatuses.find((status) => status === word);
}

function showCategory({ kind, text }: CategoryChoice, names: CategoryNames): string {
  const { named, new: newNamed } = texts.category;
  if (kind === 'new') return newNamed(text);
  const id = parseInteger(text);
  const name = id === undefined ? undefined : names.nameOf(id);
  return name === undefined ? text : named(name, text);
}

function readCategory(draft: Draft, cell: string, { idOf }: ReadContext): Draft | CellFault {
  const text = cell.trim();
  const { missing, namesUnknown, digitsLost, notInteger } = texts.category;
  if (text === '') return { reason: missing };
  const id = parseInteger(text) ?? idOf(text);
  if (id === 'unknown') return { reason: namesUnknown };
  if (id !== undefined) return { ...draft, category: { kind: 'number', text: String(id) } };
  if (/^-?\d+(?:[.,]\d+)?e\+?\d+$/i.test(text)) return { reason: digitsLost };
  if (/^-?[\d.,\s]+$/.test(text)) return { reason: notInteger };
  return toFault(nameFault(text)) ?? { ...draft, category: { kind: 'new', text } };
}

function toFault(reason: string | undefined): CellFault | undefined {
  return reason === undefined ? undefined : { reason };
}
