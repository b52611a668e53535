import type { ComponentChildren } from 'preact';
import { isChosenDay } from '../api/day.ts';
import { common } from '../texts/common.ts';
import { statusName, statusTitle } from '../texts/status.ts';
import { Button } from './controls.tsx';

/** A status in words and in colour. */
export function Status({ status }: { readonly status: string }) {
  return <span class={`status ${status}`}>{statusName(status)}</span>;
}

/** A screen without records, with the next step. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{props.title}</h2>
      {props.children}
    </div>
  );
}

export function Loading() {
  return <p class="table-note">{common.loading}</p>;
}

/** A screen whose records could not be read. */
export function Failed(props: {
  readonly title: string;
  readonly message: string;
  readonly onRetry: () => void;
}) {
  return (
    <Empty title={props.title}>
      <p role="alert">{props.message}</p>
      <Button onClick={props.onRetry}>{common.tryAgain}</Button>
    </Empty>
  );
}

interface ChoicesProps<Value> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly chosen: Value | undefined;
  readonly nameOf: (value: Value) => string;
  readonly addressOf: (value: Value | undefined) => string;
  readonly countOf?: (value: Value | undefined) => number | undefined;
}

/** Links that show the records with one value, or all. */
export function Choices<Value extends string>(props: ChoicesProps<Value>) {
  const { label, values, chosen, nameOf, addressOf, countOf } = props;
  return (
    <nav class="choices" aria-label={label}>
      {[undefined, ...values].map((value) => (
        <a
          key={value ?? ''}
          href={addressOf(value)}
          aria-current={chosen === value ? 'true' : undefined}
        >
          {value === undefined ? common.all : nameOf(value)}
          {common.count(countOf?.(value))}
        </a>
      ))}
    </nav>
  );
}

/** The choice of a status. */
export function StatusChoices<Status extends string>(
  props: Omit<ChoicesProps<Status>, 'label' | 'nameOf'>,
) {
  return <Choices label={common.status} nameOf={statusTitle} {...props} />;
}

/** A short table, which needs no virtual rows. */
export function ShortTable(props: {
  readonly caption?: string;
  readonly columns: readonly string[];
  readonly children: ComponentChildren;
}) {
  return (
    <table>
      {props.caption !== undefined && <caption>{props.caption}</caption>}
      <thead>
        <tr>
          {props.columns.map((column) =>
            column === '' ? (
              <td key={column} />
            ) : (
              <th scope="col" key={column}>
                {column}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  );
}

/** The toolbar of a screen with one main action. */
export function Toolbar(props: {
  readonly children: ComponentChildren;
  readonly text: string;
  readonly isAllowed?: boolean;
  readonly onClick: () => void;
}) {
  const { children, text, isAllowed = true, onClick } = props;
  return (
    <div class="toolbar">
      {children}
      <div class="actions">
        {isAllowed && (
          <Button kind="main" onClick={onClick}>
            {text}
          </Button>
        )}
      </div>
    </div>
  );
}

const zoneOf = (time: string | number) => (isChosenDay(time) ? 'UTC' : undefined);

/** A time in the language of the browser. */
export function formatTime(time: string | number, timeStyle?: 'short' | 'medium'): string {
  const timeZone = timeStyle === undefined ? zoneOf(time) : undefined;
  return new Date(time).toLocaleString(undefined, { dateStyle: 'medium', timeStyle, timeZone });
}

/** A day in the language of the browser, with the year unless it is this year. */
export function formatDay(time: string | number): string {
  const day = new Date(time);
  const year = day.getFullYear() === new Date().getFullYear() ? undefined : 'numeric';
  const timeZone = zoneOf(time);
  return day.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year, timeZone });
}
