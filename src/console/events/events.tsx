import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import type { StoreEvent } from '../../../client/src/stream.ts';
import { listen } from '../api/live.ts';
import { messageOf } from '../api/service.ts';
import { currentApi } from '../api/session.ts';
import { Empty, Failed, formatTime, Loading } from '../parts/display.tsx';
import { frame } from '../texts/common.ts';
import { texts } from '../texts/events.ts';

const shownMax = 200;

/** The last events, and new ones as they happen. */
export function Events() {
  const events = useSignal<readonly StoreEvent[]>([]);
  const state = useSignal<'loading' | 'ready' | 'failed'>('loading');
  const message = useSignal('');

  function add(more: readonly StoreEvent[]): void {
    const all = [...events.peek(), ...more].map((event) => [event.sequence, event] as const);
    events.value = [...new Map(all).values()]
      .sort((left, right) => (left.sequence < right.sequence ? 1 : -1))
      .slice(0, shownMax);
  }

  async function load(): Promise<void> {
    state.value = 'loading';
    try {
      add(await readLatest());
      state.value = 'ready';
    } catch (error) {
      message.value = messageOf(error);
      state.value = 'failed';
    }
  }

  useEffect(() => {
    void load();
    return listen((update) => {
      if (update === 'reset') void load();
      else if (!update.isOwn) add([update.event]);
    });
  }, []);

  if (state.value === 'failed') {
    return <Failed title={texts.readFailed} message={message.value} onRetry={() => void load()} />;
  }
  if (events.value.length === 0) {
    return state.value === 'loading' ? (
      <Loading />
    ) : (
      <Empty title={texts.none}>
        <p>{texts.noneHint}</p>
      </Empty>
    );
  }
  return (
    <section class="events" aria-label={frame.titles.events} tabIndex={0}>
      <ol>
        {events.value.map((event) => (
          <li key={String(event.sequence)}>
            <time dateTime={event.timestamp}>{formatTime(event.timestamp, 'medium')}</time>
            <span>{describe(event)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The newest events that the server keeps, oldest first. */
async function readLatest(): Promise<readonly StoreEvent[]> {
  const { events } = currentApi();
  const { position } = await events.list({ after: 'now', limit: 1 });
  for (let count = 100n; count > 0n; count /= 4n) {
    try {
      const after = position > count ? position - count : 0n;
      return (await events.list({ after, limit: 100 })).events;
    } catch (error) {
      // The server keeps fewer events than that.
      if (!isAnimalStoreError(error, 'cursor_expired')) throw error;
    }
  }
  return [];
}

type NamedEvent = Extract<StoreEvent, { type: `${'pet' | 'category'}.${string}` }>;

/** An event in words. Later types are shown by their names. */
function describe(event: StoreEvent): ComponentChildren {
  switch (event.type) {
    case 'feed.reset':
      return texts.reset;
    case 'order.created':
      return texts.orderCreated(event.data.id, event.data.petId);
    case 'order.updated':
      return texts.orderUpdated(event.data.id, event.data.petId, event.data.status);
    case 'pet.created':
    case 'category.created':
      return describeNamed(event, texts.created);
    case 'pet.deleted':
    case 'category.deleted':
      return describeNamed(event, texts.deleted);
    case 'pet.updated':
    case 'category.updated':
      return describeNamed(event, texts.updated);
    default:
      return event.type;
  }
}

/** An event of an animal or a category. A name cannot reorder the words around it. */
function describeNamed({ type, data, previous }: NamedEvent, verb: string): ComponentChildren {
  const { name, status }: { name?: string | null; status?: string | null } = previous ?? {};
  const became = status !== undefined && 'status' in data && texts.became(data.status);
  const { before, after } = type.startsWith('pet.') ? texts.pet : texts.category;
  return (
    <>
      {before}
      <bdi>{name ?? data.name}</bdi>
      {after(data.id)}
      {typeof name !== 'string' ? (
        became || verb
      ) : (
        <>
          {texts.renamed}
          <bdi>{data.name}</bdi>
          {became && texts.and + became}
        </>
      )}
    </>
  );
}
