/** Paths in a square of 16 units. Fonts do not have these signs everywhere. */
const paths = {
  edit: 'M11.3 1.7l3 3L5.5 13.5l-3.8.8.8-3.8zM9.5 3.5l3 3',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
};

/** A sign without a text of its own: its button has one. */
export function Icon({ name }: { readonly name: keyof typeof paths }) {
  return (
    <svg class={`sign ${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
