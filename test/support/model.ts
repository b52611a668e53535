import type { Scope } from '../../src/domain/access/api-key.ts';
import type { ErrorCode } from '../../src/domain/error.ts';
import type { Pet, PetChanges, PetStatus } from '../../src/domain/pet.ts';

/**
 * What the service should answer, told in the simplest way there is: animals in arrays, and requests whose
 * parts already say whether they are valid, and what they mean.
 */
export interface Model {
  readonly workspaces: Readonly<Record<Workspace, ModelWorkspace>>;
  /** Whether the clock stands behind the day on which getPet is removed. */
  readonly getPetIsRemoved: boolean;
  /** Where the last `Link` that was seen leads. */
  lastCursor: ModelCursor | undefined;
}

export type Workspace = 'default' | 'other';

export interface ModelWorkspace {
  /** In the order of their ids. */
  readonly pets: Pet[];
  lastId: bigint;
}

export interface ModelCursor {
  readonly text: string;
  readonly belowId: bigint;
  readonly filter: string;
}

/** A part of a request, and what it means; it is not valid where it means nothing. */
export interface Part<Meaning> {
  readonly text: string;
  readonly meaning: Meaning | undefined;
}

/** Who asks: somebody with rights, or why there are none. */
export const callers = {
  keeper: { workspace: 'default', scopes: ['pets:read', 'pets:write'] },
  reader: { workspace: 'default', scopes: ['pets:read'] },
  writer: { workspace: 'default', scopes: ['pets:write'] },
  otherKeeper: { workspace: 'other', scopes: ['pets:read', 'pets:write'] },
  otherReader: { workspace: 'other', scopes: ['pets:read'] },
  nobody: 'missing_api_key',
  basic: 'missing_api_key',
  malformed: 'invalid_api_key',
  unknown: 'invalid_api_key',
  revoked: 'invalid_api_key',
  expired: 'invalid_api_key',
  staging: 'invalid_api_key',
  twice: 'invalid_api_key',
} as const satisfies Record<string, { workspace: Workspace; scopes: readonly Scope[] } | ErrorCode>;

export type CallerName = keyof typeof callers;

interface AnyCall {
  readonly caller: CallerName;
  readonly prefer: Part<'strict' | 'lenient'> | undefined;
  readonly requestId: Part<string> | undefined;
  /** A query parameter that no operation has. */
  readonly unknownParameter: boolean;
}

export interface ListPets extends AnyCall {
  readonly operationId: 'listPets';
  readonly method: 'GET' | 'HEAD';
  /** More than one of a kind is a fault, but for ids. */
  readonly limits: readonly Part<number>[];
  readonly statuses: readonly Part<PetStatus>[];
  readonly ids: readonly Part<bigint>[];
  /** `last` is the one of `lastCursor`, where there is one. */
  readonly cursor: 'last' | Part<never> | undefined;
}

export interface CreatePet extends AnyCall {
  readonly operationId: 'createPet';
  readonly method: 'POST';
  readonly contentType: Part<true> | undefined;
  readonly body: CallBody;
}

export interface CallBody<Meaning = Omit<Pet, 'id'>> {
  readonly content: string | Uint8Array<ArrayBuffer>;
  /** What it holds, or the first fault in the order in which the service looks for them. */
  readonly meaning: Meaning | 'content_too_large' | 'invalid_json' | 'invalid_body';
  readonly unknownMembers: boolean;
}

export interface GetPet extends AnyCall {
  readonly operationId: 'getPet';
  readonly method: 'GET' | 'HEAD';
  readonly petId: Part<bigint>;
}

/** A change of one animal: whether it demands what is true of every animal, or of none. */
interface ChangePet extends AnyCall {
  readonly petId: Part<bigint>;
  readonly ifMatch: Part<'any' | 'none'> | undefined;
}

export interface UpdatePet extends ChangePet {
  readonly operationId: 'updatePet';
  readonly method: 'PATCH';
  readonly contentType: Part<true> | undefined;
  readonly body: CallBody<PetChanges>;
}

export interface DeletePet extends ChangePet {
  readonly operationId: 'deletePet';
  readonly method: 'DELETE';
}

export type OperationCall = ListPets | CreatePet | GetPet | UpdatePet | DeletePet;

/** An animal, a page, or one of several errors where a request has several faults of one rank. */
export type Expected =
  | { readonly pet: Pet }
  | { readonly gone: true }
  | { readonly page: readonly Pet[]; readonly more: boolean }
  | { readonly codes: readonly ErrorCode[] };

/** What a call should be answered with; the model changes as the service should. */
export function expectAnswer(model: Model, call: OperationCall): Expected {
  const caller = callers[call.caller];
  if (typeof caller === 'string') return { codes: [caller] };
  const isRead = call.operationId === 'listPets' || call.operationId === 'getPet';
  const scope: Scope = isRead ? 'pets:read' : 'pets:write';
  if (!caller.scopes.some((own) => own === scope)) return { codes: ['insufficient_scope'] };

  const workspace = model.workspaces[caller.workspace];
  const { pets } = workspace;
  switch (call.operationId) {
    case 'listPets':
      return expectPage(model, pets, call);
    case 'createPet':
      return expectCreated(workspace, call);
    case 'getPet':
      return model.getPetIsRemoved ? { codes: ['operation_removed'] } : expectOne(pets, call);
    case 'updatePet':
      return expectUpdated(pets, call);
    case 'deletePet':
      return expectDeleted(pets, call);
  }
}

/** Every id is one more than the one before it, from 1. */
function expectCreated(
  workspace: ModelWorkspace,
  { contentType, body, ...call }: CreatePet,
): Expected {
  if (contentType?.meaning === undefined) return { codes: ['unsupported_media_type'] };
  const { meaning } = body;
  if (meaning === 'content_too_large' || meaning === 'invalid_json') return { codes: [meaning] };
  const codes = commonFaults(call, body.unknownMembers);
  if (meaning === 'invalid_body') codes.push(meaning);
  if (codes.length > 0 || meaning === 'invalid_body') return { codes };
  workspace.lastId += 1n;
  const pet = { id: workspace.lastId, ...meaning };
  workspace.pets.push(pet);
  return { pet };
}

function expectUpdated(pets: Pet[], { contentType, body, ...call }: UpdatePet): Expected {
  if (contentType?.meaning === undefined) return { codes: ['unsupported_media_type'] };
  const { meaning } = body;
  if (meaning === 'content_too_large' || meaning === 'invalid_json') return { codes: [meaning] };
  const held = expectHeld(pets, call, body.unknownMembers, meaning === 'invalid_body');
  if ('codes' in held || meaning === 'invalid_body') return held;
  const { name = held.pet.name, categoryId = held.pet.categoryId } = meaning;
  const { status = held.pet.status } = meaning;
  const pet = { ...held.pet, name, categoryId, status };
  pets[pets.indexOf(held.pet)] = pet;
  return { pet };
}

function expectDeleted(pets: Pet[], call: DeletePet): Expected {
  const held = expectHeld(pets, call);
  if ('codes' in held) return held;
  pets.splice(pets.indexOf(held.pet), 1);
  return { gone: true };
}

/** The animal that is to be changed, or why it is not. */
function expectHeld(
  pets: readonly Pet[],
  { petId, ifMatch, ...call }: UpdatePet | DeletePet | Omit<UpdatePet, 'contentType' | 'body'>,
  unknownMembers = false,
  isInvalid = false,
): { readonly pet: Pet } | { readonly codes: readonly ErrorCode[] } {
  const codes = commonFaults(call, unknownMembers);
  if (petId.meaning === undefined) codes.push('not_found');
  if (isInvalid) codes.push('invalid_body');
  if (ifMatch !== undefined && ifMatch.meaning === undefined) codes.push('invalid_header');
  if (codes.length > 0) return { codes };
  const pet = pets.find(({ id }) => id === petId.meaning);
  if (pet === undefined) return { codes: ['not_found'] };
  return ifMatch?.meaning === 'none' ? { codes: ['precondition_failed'] } : { pet };
}

function expectOne(pets: readonly Pet[], { petId, ...call }: GetPet): Expected {
  const codes = commonFaults(call);
  if (petId.meaning === undefined) codes.push('not_found');
  if (codes.length > 0) return { codes };
  const pet = pets.find(({ id }) => id === petId.meaning);
  return pet === undefined ? { codes: ['not_found'] } : { pet };
}

function expectPage(model: Model, pets: readonly Pet[], call: ListPets): Expected {
  const { limits, statuses, ids } = call;
  const codes = commonFaults(call);
  const parts = [...limits, ...statuses, ...ids];
  const tooMany = limits.length > 1 || statuses.length > 1 || ids.length > 100;
  if (tooMany || parts.some(({ meaning }) => meaning === undefined)) {
    codes.push('invalid_parameter');
  }
  const cursor = call.cursor === 'last' ? model.lastCursor : undefined;
  const { cursor: sent } = call;
  const isForged = sent !== undefined && sent !== 'last';
  if (isForged || (cursor !== undefined && cursor.filter !== filterOf(call))) {
    codes.push('invalid_cursor');
  }
  if (codes.length > 0) return { codes };

  const [status] = statuses;
  const matching = pets
    .filter(({ id }) => cursor === undefined || id < cursor.belowId)
    .filter((pet) => status === undefined || pet.status === status.meaning)
    .filter(({ id }) => ids.length === 0 || ids.some(({ meaning }) => meaning === id))
    .toReversed();
  const limit = limits[0]?.meaning ?? 20;
  return { page: matching.slice(0, limit), more: matching.length > limit };
}

/** A cursor holds for lists with this filter alone: the status, and the ids in any order. */
export function filterOf({ statuses, ids }: ListPets): string {
  const distinct = [...new Set(ids.map(({ text }) => text))].toSorted();
  return JSON.stringify([statuses[0]?.text, distinct]);
}

function commonFaults(
  { prefer, unknownParameter }: Pick<AnyCall, 'prefer' | 'unknownParameter'>,
  unknownMembers = false,
): ErrorCode[] {
  if (prefer !== undefined && prefer.meaning === undefined) return ['invalid_header'];
  const unknown = unknownParameter || unknownMembers;
  return prefer?.meaning === 'strict' && unknown ? ['unknown_field'] : [];
}
