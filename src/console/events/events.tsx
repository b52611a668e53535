import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { isAnimalStoreError } from '../../../client/src/error.ts';
import type { StoreEvent } from '../../../client/src/stream.ts';
import { api, messageOf } from '../api/api.ts';
import { listen } from '../api/live.ts';
import { Button, Empty } from '../parts/parts.tsx';

const shownMax = 200;

/** What happened last, and what happens now. */
export function Events() {
  const events = useSignal<readonly StoreEvent[]>([]);
  const state = useSignal<'loading' | 'ready' | 'failed'>('loading');
  const message = useSignal('');

  function add(more: readonly StoreEvent[]): void {
    const known = new Set(events.peek().map(({ sequence }) => sequence));
    events.value = [...more.filter(({ sequence }) => !known.has(sequence)), ...events.peek()]
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
    return listen((heard) => {
      if (heard === 'reset') void load();
      else add([heard.event]);
    });
  }, []);

  if (state.value === 'failed') {
    return (
      <Empty title="The events cannot be read">
        <p role="alert">{message.value}</p>
        <Button onClick={() => void load()}>Try again</Button>
      </Empty>
    );
  }
  if (events.value.length === 0) {
    return state.value === 'loading' ? (
      <p class="table-note">Loading…</p>
    ) : (
      <Empty title="Nothing has happened yet">
        <p>Every change to animals, orders and categories appears here.</p>
      </Empty>
    );
  }
  return (
    <section class="events" aria-label="What happened" tabIndex={0}>
      <ol>
        {events.value.map((event) => (
          <li key={String(event.sequence)}>
            <time dateTime={event.timestamp}>{formatTime(event.timestamp)}</time>
            <span>{describe(event)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The newest ones that are kept, oldest first. */
async function readLatest(): Promise<readonly StoreEvent[]> {
  const { position } = await api.events.list({ after: 'now', limit: 1 });
  for (let count = 100n; count > 0n; count /= 4n) {
    try {
      const after = position > count ? position - count : 0n;
      return (await api.events.list({ after, limit: 100 })).events;
    } catch (error) {
      // So old ones are not kept: perhaps there was little to do since.
      if (!isAnimalStoreError(error, 'cursor_expired')) throw error;
    }
  }
  return [];
}

function formatTime(time: string): string {
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
}

const verbs: Readonly<Record<string, string>> = {
  created: 'was added',
  updated: 'was changed',
  deleted: 'was deleted',
};

/** An event in words. Kinds that came later are shown by their names. A name cannot change the order of the words around it. */
function describe(event: StoreEvent): ComponentChildren {
  switch (event.type) {
    case 'feed.reset':
      return 'The data was restored from a backup';
    case 'order.created':
      return `Order ${event.data.id} was placed for animal ${event.data.petId}`;
    case 'order.updated':
      return `Order ${event.data.id} for animal ${event.data.petId} is ${event.data.status}`;
    case 'pet.created':
    case 'pet.updated':
    case 'pet.deleted':
    case 'category.created':
    case 'category.updated':
    case 'category.deleted':
      return describeNamed(event);
    default:
      return event.type;
  }
}

type NamedEvent = Extract<StoreEvent, { type: `${'pet' | 'category'}.${string}` }>;

function describeNamed(event: NamedEvent): ComponentChildren {
  const [kind = '', verb = ''] = event.type.split('.');
  const { id, name } = event.data;
  const before = event.previous;
  const became =
    verb === 'updated' && before !== undefined && 'status' in before && 'status' in event.data
      ? `became ${event.data.status}`
      : undefined;
  if (before !== undefined && 'name' in before && typeof before.name === 'string') {
    return (
      <>
        <Subject kind={kind} name={before.name} id={id} /> was renamed to <bdi>{name}</bdi>
        {became !== undefined && `, and ${became}`}
      </>
    );
  }
  return (
    <>
      <Subject kind={kind} name={name} id={id} /> {became ?? verbs[verb] ?? event.type}
    </>
  );
}

function Subject(props: { readonly kind: string; readonly name: string; readonly id: bigint }) {
  const name = <bdi>{props.name}</bdi>;
  return props.kind === 'category' ? (
    <>
      Category {name} ({String(props.id)})
    </>
  ) : (
    <>
      {name} (animal {String(props.id)})
    </>
  );
}
