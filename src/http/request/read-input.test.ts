import { expect, test } from 'bun:test';
import { z } from 'zod';
import { findUnknown, readQuery, readSearch } from './read-input.ts';

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
])('the query %j is parsed as URLSearchParams parses it', (search) => {
  expect(readSearch(search)).toEqual([...new URLSearchParams(`?${search}`)]);
});

test('with thousands of faults, messages are made only for those that the answer lists', () => {
  let written = 0;
  const hide = (text: string) => {
    written += 1;
    return text;
  };
  const names = Array.from({ length: 6000 }, (_, index) => `x${index}`);
  const unknown = findUnknown('member', names, z.object({}), hide);
  expect(unknown?.message.split('; ')).toHaveLength(10);
  expect(unknown?.message).toEndWith('"x9" is not a member of this operation');
  expect(written).toBe(10);
  const schema = z.object({ id: z.array(z.int64()) });
  const query = names.map((name) => ['id', name] as const);
  expect(readQuery(schema, query, hide)).toMatchObject({ code: 'invalid_parameter' });
  expect(written).toBe(20);
});
