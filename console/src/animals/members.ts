// The members of an animal that people see and edit. Another member needs its line in `Draft`, `draftOf` and `members` here, its
// field in `animal-form.tsx`, and its texts.

import type { NewPet, Pet, PetPatch, PetStatus } from '../../../client/src/contract.ts';
import { defaultPetStatus } from '../../../src/domain/pet.ts';
import { parseInteger } from '../api/integer.ts';
import { rowNameFault } from '../api/names.ts';
import type { CategoryChoice } from '../categories/category-choice.ts';
import { categoryTexts as texts } from '../texts/animals.ts';
import { statusName } from '../texts/status.ts';

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
  const category: CategoryChoice = { kind: 'number', text: String(pet.categoryId) };
  return { name: pet.name, category, status: pet.status };
}

/** What a member is for forms, comparisons, imports and exports. */
interface Member {
  readonly name: keyof Draft;
  /**
   * Headings of its column in an import, in English and German, the surest first. None is also the value of a cell, as “available”
   * is, or has two meanings, as “Tier” (a name or a species).
   */
  readonly headings: readonly string[];
  /** The headings of its columns in an export, with their cells. */
  readonly exported: Readonly<Record<string, (pet: Pet, names: CategoryNames) => string | bigint>>;
  /** The draft with the value of a cell, or the fault of the cell. */
  readonly read: (draft: Draft, cell: string, context: ReadContext) => Draft | CellFault;
  /** Its part of a request. */
  readonly send: (draft: Draft, categoryId: bigint) => PetPatch;
}

/** The meanings of the words of a file. */
export interface ReadContext {
  readonly categoryOf: (cell: string) => CategoryChoice | CellFault;
  readonly statusOf: (cell: string) => PetStatus | CellFault;
}

export interface CellFault {
  readonly reason: string;
}

/** The words for a status in files. A console in another language reads and writes the same. */
export const statusesInFiles: Readonly<Record<PetStatus, string>> = {
  available: 'available',
  pending: 'reserved',
  sold: 'sold',
};

/** In the order of forms, comparisons and files. */
export const members: readonly Member[] = [
  {
    name: 'name',
    headings: [
      ...['animal name', 'name of the animal', 'pet name', 'tiername', 'name des tieres'],
      ...['hundename', 'katzenname', 'name des hundes', 'name der katze'],
      // Beside the others, this can be the name of the owner.
      ...['name tier', 'rufname', 'rufname des tieres', 'name'],
    ],
    exported: { name: ({ name }) => name },
    read: (draft, name) => toFault(rowNameFault(name)) ?? { ...draft, name },
    send: ({ name }) => ({ name }),
  },
  {
    name: 'category',
    headings: [
      ...['category id', 'category', 'kategorie', 'tierkategorie', 'species', 'animal species'],
      ...['tierart', 'spezies', 'gattung', 'tiergattung', 'kind', 'animal type', 'art', 'type'],
    ],
    exported: {
      categoryId: ({ categoryId }) => categoryId,
      category: ({ categoryId }, { nameOf }) => nameOf(categoryId) ?? '',
    },
    read: (draft, cell, { categoryOf }) => {
      const category = categoryOf(cell);
      return 'reason' in category ? category : { ...draft, category };
    },
    send: (_draft, categoryId) => ({ categoryId }),
  },
  {
    name: 'status',
    headings: [
      ...['adoption status', 'vermittlungsstatus', 'tierstatus', 'status', 'availability'],
      ...['verfügbarkeit', 'state', 'zustand'],
    ],
    exported: { status: ({ status }) => statusesInFiles[status] },
    read: (draft, cell, { statusOf }) => {
      const status = statusOf(cell);
      return typeof status === 'string' ? { ...draft, status } : status;
    },
    send: ({ status }) => ({ status }),
  },
];

const allMembers: readonly (keyof Draft)[] = members.map(({ name }) => name);

/** The headings of an export. An import recognises them. */
export const exportedHeadings = ['id', ...members.flatMap(({ exported }) => Object.keys(exported))];

/** The text by which two drafts are compared. */
function textOf({ name }: Member, draft: Draft): string {
  const value = draft[name];
  return typeof value === 'string' ? value : value.text;
}

export function isSame(member: Member, left: Draft, right: Draft): boolean {
  return textOf(member, left) === textOf(member, right);
}

/** The text of a member that people see. */
export function showMember({ name }: Member, draft: Draft, names: CategoryNames): string {
  if (name === 'status') return statusName(draft.status);
  const value = draft[name];
  return typeof value === 'string' ? value : showCategory(value, names);
}

/** Compares all members, or those that a file has. */
export function isSameDraft(left: Draft, right: Draft, given = allMembers): boolean {
  return members.every((member) => !given.includes(member.name) || isSame(member, left, right));
}

/** A draft without the blanks that keyboards of phones add to a word. A name that was stored with them stays. */
export function tidyDraft(draft: Draft, before?: Draft): Draft {
  return draft.name === before?.name ? draft : { ...draft, name: draft.name.trim() };
}

/** The request that creates an animal. */
export function newPetOf(draft: Draft, categoryId: bigint): NewPet {
  return { ...patchOf(members, draft, categoryId), name: draft.name, categoryId };
}

/** The request that changes what differs from `before`, and nothing else. A file may have only some members. */
export function changeOf(
  draft: Draft,
  categoryId: bigint,
  before: Pet,
  given = allMembers,
): PetPatch {
  const changed = members.filter(
    (member) => given.includes(member.name) && !isSame(member, draft, draftOf(before)),
  );
  return patchOf(changed, draft, categoryId);
}

function patchOf(sent: readonly Member[], draft: Draft, categoryId: bigint): PetPatch {
  let patch: PetPatch = {};
  for (const { send } of sent) patch = { ...patch, ...send(draft, categoryId) };
  return patch;
}

function showCategory({ kind, text }: CategoryChoice, names: CategoryNames): string {
  if (kind === 'new') return texts.new(text);
  const id = parseInteger(text);
  const name = id === undefined ? undefined : names.nameOf(id);
  return name === undefined ? text : texts.named(name, text);
}

function toFault(reason: string | undefined): CellFault | undefined {
  return reason === undefined ? undefined : { reason };
}
