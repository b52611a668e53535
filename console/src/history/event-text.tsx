import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { hasScope } from '../api/session.ts';
import { categoryName } from '../categories/categories-state.ts';
import { formatTime, Status } from '../parts/display.tsx';
import { addressOf } from '../route.ts';
import { animalName, categoryTexts, numberAfterName } from '../texts/animals.ts';
import { memberLabels, texts, verbs } from '../texts/changes.ts';
import { statusName } from '../texts/status.ts';
import { describeActor } from './actor-names.ts';
import {
  categoryOf,
  changesOf,
  type Line,
  type MemberChange,
  orderOf,
  petOf,
  verbOf,
} from './changes.ts';

/** When a change happened, and what caused it. */
export function LineOrigin({ line: { event } }: { readonly line: Line }) {
  return (
    <>
      <time dateTime={event.timestamp}>{formatTime(event.timestamp, 'medium')}</time>
      <bdi class="actor">{describeActor(event.actor)}</bdi>
    </>
  );
}

/** A line of a history in words. On the page of its animal, the line does not name the animal. */
export function LineText({ line, isOfPage }: { readonly line: Line; readonly isOfPage: boolean }) {
  const { event, caused } = line;
  if (event.type === 'feed.reset') return texts.reset;
  if (event.type === 'webhook.disabled') {
    return texts.webhookDisabled(event.data.id, event.data.reason);
  }
  const verb = verbOf(event);
  if (verb === undefined) return texts.unknown(event.type);
  const isAlone = isOfPage && petOf(event) !== undefined;
  const ofAnimal = caused === undefined ? [] : changesOf(caused);
  const changes = [
    ...changesOf(event),
    ...ofAnimal.map((change) => ({ ...change, isOfAnimal: true }) as const),
  ];
  return (
    <>
      {!isAlone && <Subject line={line} isOfPage={isOfPage} />}{' '}
      {verbs[verb][isAlone ? 'alone' : 'one']}
      <Changes changes={changes} />
    </>
  );
}

/** The record of a line, with links to the pages of an animal and an order. */
function Subject({ line, isOfPage }: { readonly line: Line; readonly isOfPage: boolean }) {
  const { event, caused } = line;
  const pet = petOf(event);
  if (pet !== undefined) return <AnimalLink id={pet.id} name={pet.name} />;
  const category = categoryOf(event);
  if (category !== undefined) {
    const { id, name } = category;
    return (
      <>
        {texts.category}
        <a href={addressOf('animals', { category: String(id) })}>
          <bdi>{name}</bdi> {texts.categoryNumber(id)}
        </a>
      </>
    );
  }
  const order = orderOf(event);
  if (order === undefined) return null;
  const { id, petId } = order;
  if (isOfPage) return texts.order(id);
  return (
    <>
      {hasScope('orders:read') ? (
        <a href={addressOf('orders', { search: String(id) })}>{texts.order(id)}</a>
      ) : (
        texts.order(id)
      )}
      {texts.forAnimal}
      <AnimalLink id={petId} name={petOf(caused)?.name} />
    </>
  );
}

/** Names of animals by their numbers. Events of orders have none. */
export const AnimalNames = createContext<Pick<ReadonlyMap<bigint, string>, 'get'>>(new Map());

function AnimalLink(props: { readonly id: bigint; readonly name?: string | undefined }) {
  const names = useContext(AnimalNames);
  const { id, name = names.get(id) } = props;
  const text =
    name === undefined ? (
      animalName({ id })
    ) : (
      <>
        <bdi>{name}</bdi> {numberAfterName(id)}
      </>
    );
  return hasScope('pets:read') ? <a href={addressOf('animals', {}, id)}>{text}</a> : text;
}

/** What changed, from what to what. */
export function Changes({ changes }: { readonly changes: readonly MemberChange[] }) {
  return changes.map(({ member, before, now, isOfAnimal }, index) => (
    <span key={member}>
      {index === 0 ? ': ' : ', '}
      {memberLabels[member] ?? member}
      {isOfAnimal && texts.ofAnimal}
      {before !== undefined && before !== null && (
        <>
          {texts.from}
          <Value member={member} value={before} />
        </>
      )}
      {texts.to}
      <Value member={member} value={now} />
    </span>
  ));
}

function Value(props: { readonly member: string; readonly value: unknown }) {
  const { member, value } = props;
  if (member === 'status' && typeof value === 'string') return <Status status={value} />;
  if (typeof value !== 'string' || member === 'shipDate') {
    return <bdi>{showValue(member, value)}</bdi>;
  }
  return (
    <>
      {texts.openQuote}
      <bdi>{value}</bdi>
      {texts.closeQuote}
    </>
  );
}

/** A value of a member of a record in words. A newer server can have other members. */
export function showValue(member: string, value: unknown): string {
  if (value === null || value === undefined) return texts.none;
  if (member === 'status') return statusName(String(value));
  if (member === 'shipDate') return formatTime(String(value));
  if (member === 'categoryId' && typeof value === 'bigint') return nameCategory(value);
  return texts.quoted(typeof value === 'object' ? '…' : String(value));
}

function nameCategory(id: bigint): string {
  const name = categoryName(id);
  return name === undefined ? String(id) : categoryTexts.named(name, String(id));
}
