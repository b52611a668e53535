import type { OrderStatus } from '../../../client/src/contract.ts';
import { noteLengthMax } from '../../domain/order.ts';
import { localCount } from './local-count.ts';
import { statusName } from './status.ts';

/** The screen with the orders. */
export const texts = {
  noun: 'order',
  animal: 'Animal',
  handedOver: 'Handed over',
  animalNumber: (petId: bigint) => `animal ${petId}`,
  orderNumber: (id: bigint) => `order ${id}`,
  ordersFor: (name: string) => `Orders for ${name}. `,
  showAll: 'Show all orders',
  place: 'Place an order',
  placeSubmit: 'Place the order',
  placed: (id: bigint) => `Order ${id} is placed.`,
  notPlaced: (petId: bigint, reason: string) => `No order for animal ${petId}: ${reason}`,
  petNumber: 'Number of the animal',
  petNumberHint: 'The list of animals has the number. “Reserve” there places an order as well.',
  petNumberFault: 'Enter the number of the animal as the list has it, such as 18.',
  petUnknown: 'No animal has this number.',
  petUnavailable: 'This animal is not available.',
  handOver: 'Hand over',
  handOverQuestion: (id: bigint) => `Hand over order ${id}?`,
  handOverHint: 'The animal becomes sold, and the order stays in the list.',
  isHandedOver: (id: bigint) => `Order ${id} is handed over.`,
  cancel: 'Cancel',
  cancelQuestion: (id: bigint) => `Cancel order ${id}?`,
  cancelSubmit: 'Cancel the order',
  cancelHint: 'The animal becomes available again.',
  isCancelled: (id: bigint) => `Order ${id} is cancelled.`,
  none: 'No orders yet',
  noneOfStatus: (status: OrderStatus) => `No order is ${statusName(status)}`,
  noneOfAnimal: 'No such order',
  noneHint: 'An order reserves an animal until it is handed over or cancelled. ',
  noneOfAnimalHint:
    'No order reserves this animal. To sell it while it is reserved, edit it and set it to available. ',
  showAvailable: 'Show available animals',
} as const;

/** For whom an order is, and until when. */
export const draftTexts = {
  note: 'For whom',
  noteHint: 'For example a name and a telephone number. Can be left empty.',
  until: 'Until',
  untilHint: 'The last day of the reservation. Can be left empty.',
  noteFaults: {
    too_long: `This text has at most ${localCount(noteLengthMax)} characters.`,
    control_character: 'This text contains a control character. Type it again.',
    lone_surrogate: 'This text contains a broken character (a lone surrogate).',
  },
  dayIncomplete: 'Enter the whole date, or clear it.',
  dayPassed: 'This day has passed. Choose today or a later day.',
  dayStays: 'The date of an order cannot be removed. Choose another day.',
} as const;
