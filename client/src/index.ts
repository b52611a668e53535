export type {
  Category,
  ErrorCode,
  Inventory,
  NewCategory,
  NewOrder,
  NewPet,
  Order,
  OrderPatch,
  Pet,
  PetPatch,
  PetStatus,
} from './contract.ts';
export { AnimalStoreError, type ClientErrorCode, isAnimalStoreError } from './error.ts';
export { stringify } from './json.ts';
export type { List, Page } from './list.ts';
export {
  type AnimalStore,
  type ChangeOptions,
  createAnimalStore,
  etagOf,
  type Id,
  type OrderQuery,
  type PetQuery,
} from './store.ts';
export type {
  EventFilter,
  EventsAnswer,
  EventsRequest,
  EventType,
  Position,
  StoreEvent,
  StreamOptions,
} from './stream.ts';
export type { AnimalStoreOptions, CallOptions, WriteOptions } from './transport.ts';
