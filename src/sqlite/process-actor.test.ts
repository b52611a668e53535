import { expect, test } from 'bun:test';
import { describeActor, findAccountName } from './process-actor.ts';

const names: Record<number, string> = { 0: 'root', 994: 'animal-store', 1000: 'alice' };
const shop = { host: 'shop-one', nameOf: (uid: number) => names[uid] };
const unset = '4294967295';

test.each([
  [
    'a service',
    { uid: 994, loginUid: unset, sudoUid: undefined },
    'uid 994 "animal-store" on shop-one',
  ],
  [
    'a number without an account',
    { uid: 65532, loginUid: unset, sudoUid: undefined },
    'uid 65532 on shop-one',
  ],
  [
    'a system without login uids',
    { uid: 0, loginUid: undefined, sudoUid: undefined },
    'uid 0 "root" on shop-one',
  ],
  [
    'a user who logged in',
    { uid: 1000, loginUid: '1000', sudoUid: undefined },
    'uid 1000 "alice" on shop-one',
  ],
  [
    'a user who became root',
    { uid: 0, loginUid: '1000', sudoUid: '1000' },
    'uid 0 "root", login uid 1000 "alice", on shop-one',
  ],
  [
    'a user who became root, and then the service',
    { uid: 994, loginUid: '1000', sudoUid: undefined },
    'uid 994 "animal-store", login uid 1000 "alice", on shop-one',
  ],
  [
    'a user without an account who became root',
    { uid: 0, loginUid: '5000', sudoUid: '5000' },
    'uid 0 "root", login uid 5000, on shop-one',
  ],
  [
    'sudo without a login uid',
    { uid: 0, loginUid: unset, sudoUid: '1000' },
    'uid 0 "root", sudo uid 1000 "alice", on shop-one',
  ],
  [
    'sudo on a system without login uids',
    { uid: 0, loginUid: undefined, sudoUid: '1000' },
    'uid 0 "root", sudo uid 1000 "alice", on shop-one',
  ],
  ['root that forges sudo', { uid: 0, loginUid: '0', sudoUid: '1000' }, 'uid 0 "root" on shop-one'],
  ['sudo by root itself', { uid: 0, loginUid: unset, sudoUid: '0' }, 'uid 0 "root" on shop-one'],
  [
    'no number from sudo',
    { uid: 0, loginUid: unset, sudoUid: '1000" on x' },
    'uid 0 "root" on shop-one',
  ],
  [
    'too large a number from sudo',
    { uid: 0, loginUid: unset, sudoUid: unset },
    'uid 0 "root" on shop-one',
  ],
  ['an empty text from sudo', { uid: 0, loginUid: unset, sudoUid: '' }, 'uid 0 "root" on shop-one'],
])('the audit trail names %s', (_who, account, actor) => {
  expect(describeActor({ ...shop, ...account })).toBe(actor);
});

test('an account name cannot hide or forge a line', () => {
  const nameOf = () => 'a" on vm\n\u001b[8m\u202e';
  const actor = describeActor({
    host: 'vm',
    uid: 1,
    loginUid: undefined,
    sudoUid: undefined,
    nameOf,
  });
  expect(actor).toBe(String.raw`uid 1 "a\" on vm\n\u001b[8m\u202e" on vm`);
});

test('an account name is that of the password database', () => {
  expect(findAccountName(0)).toBe('root');
  expect(findAccountName(3_999_999_999)).toBeUndefined();
});
