import { expect, test } from 'bun:test';
import { readSearch } from './read-input.ts';

test.each([
  '',
  'limit=20&cursor=MS40Nzk',
  'a&b=&=c&a=1&a=2&&d==e=f',
  '&',
  '?limit=0',
  '?limit=0&x=%20',
  '=',
  'a=%31+2&b=%zz&c=%ff',
  'a=1;b=2&c[]=3&d=\u732b&e=\ud800',
  'a=1?b=2/3:4@5',
])('the query %j is taken apart as the platform does', (search) => {
  expect(readSearch(search)).toEqual([...new URLSearchParams(`?${search}`)]);
});
