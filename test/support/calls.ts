import fc, { type Arbitrary } from 'fast-check';
import { callBody, patchBody } from './bodies.ts';
import {
  int64,
  int64Max,
  invalid,
  meaning,
  mostly,
  seldom,
  status,
  valid,
} from './input-arbitraries.ts';
import {
  type CallerName,
  type CreatePet,
  callers,
  type DeletePet,
  type GetPet,
  type ListPets,
  type OperationCall,
  type UpdatePet,
} from './model.ts';

const callerNames = Object.keys(callers) as CallerName[];

const anyCall = {
  caller: mostly(
    fc.constantFrom<CallerName>('keeper', 'otherKeeper'),
    fc.constantFrom(...callerNames),
  ),
  prefer: seldom(
    fc.oneof(
      meaning('strict' as const, 'handling=strict', 'a; b="c", Handling="STRICT"'),
      meaning('lenient' as const, '', 'respond-async', 'handling=lenient, handling=strict'),
      invalid('=', 'handling=', 'handling="strict', 'a b', '@'),
    ),
  ),
  requestId: seldom(
    mostly(
      valid(fc.stringMatching(/^[A-Za-z0-9/+_=.-]{1,128}$/)),
      invalid('', 'a b', 'a,b', 'x'.repeat(129), '\u00e9'),
    ),
  ),
  unknownParameter: mostly(fc.constant(false), fc.constant(true)),
};

const readMethod = mostly(fc.constant('GET' as const), fc.constant('HEAD' as const));

/** Small ones, which may exist, among all that an int64 can be. */
const id = valid(mostly(fc.bigInt(1n, 9n), int64));
const notIds = ['x', '01', '+1', '1.0', '1e0', '-0', `${int64Max + 1n}`, '\u0663', ' 1'];

const limit = mostly(
  valid(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 100 }))),
  invalid('', '0', '101', '-1', '1e1', '010', '+5', ' 5', '5.0', '\u0663', '9'.repeat(400)),
);

/** None, less often one, and seldom two. */
function upToOne<Value>(value: Arbitrary<Value>): Arbitrary<Value[]> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant<Value[]>([]) },
    { weight: 3, arbitrary: fc.array(value, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(value, { minLength: 2, maxLength: 2 }) },
  );
}

const listPets: Arbitrary<ListPets> = fc.record({
  operationId: fc.constant('listPets'),
  method: readMethod,
  ...anyCall,
  limits: fc.oneof(fc.tuple(limit), upToOne(limit)),
  statuses: upToOne(mostly(status, invalid('', 'Sold', 'lost', 'sold,pending', '__proto__'))),
  ids: mostly(
    fc.constant([]),
    fc.oneof(
      fc.array(mostly(id, invalid('', ...notIds)), { maxLength: 12 }),
      fc.array(id, { minLength: 99, maxLength: 102 }),
    ),
  ),
  cursor: mostly(
    fc.constantFrom(undefined, 'last' as const),
    invalid('x', '-1', 'MS45', btoa('1.5.00000000'), '\u0000', 'a'.repeat(1000)),
  ),
});

const getPet: Arbitrary<GetPet> = fc.record({
  operationId: fc.constant('getPet'),
  method: readMethod,
  ...anyCall,
  petId: mostly(id, invalid(...notIds)),
});

const ifMatch = seldom(
  fc.oneof(
    meaning('any' as const, '*'),
    meaning('none' as const, '"x"', 'W/"x"', '"a", "b,c" ,W/"d"'),
    invalid('x', '"x', '*, "x"', '"x" "y"', 'w/"x"'),
  ),
);

const deletePet: Arbitrary<DeletePet> = fc.record({
  operationId: fc.constant('deletePet'),
  method: fc.constant('DELETE'),
  ...anyCall,
  petId: mostly(id, invalid(...notIds)),
  ifMatch,
});

const updatePet: Arbitrary<UpdatePet> = fc.record({
  operationId: fc.constant('updatePet'),
  method: fc.constant('PATCH'),
  ...anyCall,
  petId: mostly(id, invalid(...notIds)),
  ifMatch,
  contentType: mostly(
    meaning(true as const, 'application/merge-patch+json', 'application/json; charset="UTF-8"'),
    fc.oneof(fc.constant(undefined), invalid('text/plain', 'application/json-patch+json')),
  ),
  body: patchBody,
});

const createPet: Arbitrary<CreatePet> = fc.record({
  operationId: fc.constant('createPet'),
  method: fc.constant('POST'),
  ...anyCall,
  contentType: mostly(
    meaning(true as const, 'application/json', 'Application/JSON; charset=utf-8'),
    fc.oneof(
      fc.constant(undefined),
      invalid('text/plain', 'application/json; charset=utf-16', 'application/problem+json'),
    ),
  ),
  body: callBody,
});

export const operationCall: Arbitrary<OperationCall> = fc.oneof(
  { weight: 6, arbitrary: createPet },
  { weight: 4, arbitrary: listPets },
  { weight: 3, arbitrary: getPet },
  { weight: 3, arbitrary: updatePet },
  { weight: 2, arbitrary: deletePet },
);

/** A request for what is no operation: a path that does not exist, or one without this method. */
export interface OtherCall {
  readonly operationId: undefined;
  readonly caller: CallerName;
  readonly method: string;
  readonly path: string;
  readonly expected: 'no_content' | 'method_not_allowed' | 'route_not_found';
}

const operationPath = fc.constantFrom('/v1/pets', '/v1/pets/1', '/v1/pets/x');

const unknownPath = fc
  .oneof(
    fc.constantFrom('/v1/pets/', '/v1/Pets', '/v1//pets', '/v1', '/pets', '/v1/store'),
    fc.webPath().map((path) => `/v2${path}`),
    fc.webPath().map((path) => `/v1/pets/1/x${path}`),
  )
  // What a path with dots means is for the parser of addresses to say.
  .filter((path) => !path.includes('.'));

export const otherCall: Arbitrary<OtherCall> = fc
  .oneof(
    fc.record({
      method: fc.constantFrom('PUT', 'TRACE'),
      path: operationPath,
      expected: fc.constant('method_not_allowed' as const),
    }),
    fc.record({
      method: fc.constant('OPTIONS'),
      path: operationPath,
      expected: fc.constant('no_content' as const),
    }),
    fc.record({
      method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'),
      path: unknownPath,
      expected: fc.constant('route_not_found' as const),
    }),
  )
  .chain((call) => anyCall.caller.map((caller) => ({ ...call, caller, operationId: undefined })));
