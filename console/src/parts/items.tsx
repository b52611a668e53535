import type { ComponentChildren } from 'preact';

/** A record of a short list: its name and status, a sentence about it, and facts. The children are its controls. */
export function Item(props: {
  readonly name: string;
  /** Of its page, if it has one. */
  readonly address?: string;
  readonly status: ComponentChildren;
  readonly about?: string | false | undefined;
  readonly facts: readonly (string | false | undefined)[];
  readonly children?: ComponentChildren;
}) {
  const { name, address, status, about, facts, children } = props;
  return (
    <li>
      <div>
        <p>
          {address === undefined ? (
            <strong>
              <bdi>{name}</bdi>
            </strong>
          ) : (
            <a href={address}>
              <bdi>{name}</bdi>
            </a>
          )}
          {status}
        </p>
        {about && <p>{about}</p>}
        <p class="facts">{facts.map((fact) => fact && <span key={fact}>{fact}</span>)}</p>
      </div>
      {children}
    </li>
  );
}
