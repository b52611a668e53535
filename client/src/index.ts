export type {
  Category,
  CategoryReplacement,
  CreatedWebhook,
  Delivery,
  ErrorCode,
  EventType,
  Inventory,
  NewCategory,
  NewOrder,
  NewPet,
  NewWebhook,
  Order,
  OrderPatch,
  OrderStatus,
  Pet,
  PetPatch,
  PetStatus,
  Webhook,
  WebhookDisabling,
  WebhookPatch,
  WebhookRotation,
  WebhookSecret,
  WebhookTest,
} from './contract.ts';
export { AnimalStoreError, type ClientErrorCode, isAnimalStoreError } from './error.ts';
export { parseJson, stringify } from './json.ts';
export type { List, Page } from './list.ts';
export type { RateLimit, ResponseInfo } from './response.ts';
export {
  type AnimalStore,
  type ChangeOptions,
  createAnimalStore,
  etagOf,
  type Id,
  type OrderQuery,
  type PetQuery,
  type PutOptions,
} from './store.ts';
export type {
  EventFilter,
  EventsAnswer,
  EventsRequest,
  Position,
  RecordFilter,
  StoreEvent,
  StreamOptions,
  UnknownEvent,
} from './stream.ts';
export type {
  AnimalStoreOptions,
  CallOptions,
  RequestOptions,
  TimeOptions,
  WriteOptions,
} from './transport.ts';
export {
  verifyWebhook,
  WebhookError,
  type WebhookErrorCode,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookTestEvent,
} from './webhook.ts';
