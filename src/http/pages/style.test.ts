import { expect, test } from 'bun:test';
import { shorten } from './style.ts';

test('a style sheet is shortened outside of quoted texts', () => {
  const style = `a::before {
  /* It's short. */
  content: "a; b ,  c";
  color: red;
}
b::after { content: 'x { y }'; }
`;
  expect(shorten(style)).toBe(
    `a::before{content: "a; b ,  c";color: red;}b::after{content: 'x { y }';}`,
  );
});
