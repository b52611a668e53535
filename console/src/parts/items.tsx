import type { ComponentChildren } from 'preact';

/** A record of a short list: its name and status, a sentence about it, and facts. The children are its controls. */
export function Item(props: {
  readonly name: ComponentChildren;
  readonly status: ComponentChildren;
  readonly about?: string | false | undefined;
  readonly facts: readonly (string | false | undefined)[];
  readonly children?: ComponentChildren;
}) {
  const { name, status, about, facts, children } = props;
  return (
    <li>
      <div>
        <p>
          {name}
          {status}
        </p>
        {about && <p>{about}</p>}
        <p class="facts">{facts.map((fact) => fact && <span key={fact}>{fact}</span>)}</p>
      </div>
      {children}
    </li>
  );
}
