import { expect, test } from '@jest/globals';
import { Type } from 'typebox';
import { readQuery } from './query.ts';

const scoped = Type.Object({ scope: Type.Object({ tenant: Type.String(), id: Type.String() }), page: Type.Optional(Type.Integer()) });
const refused = (field: string) => expect.objectContaining({ extensions: expect.objectContaining({ field }) });

test('scopeId and tenant are the scope', () => {
  expect(readQuery(scoped, { tenant: 'project', scopeId: 'p', page: '2' })).toEqual({ scope: { tenant: 'project', id: 'p' }, page: 2 });
});

test('a scope in another form, or none where one is required, is refused with the names of the parameters', () => {
  expect(() => readQuery(scoped, { 'scope[tenant]': 'project', 'scope[id]': 'p' })).toThrow(refused('scope'));
  expect(() => readQuery(scoped, { scope: 'p' })).toThrow(refused('scope'));
  expect(() => readQuery(scoped, {})).toThrow(refused('scopeId'));
  expect(() => readQuery(scoped, { scopeId: 'p' })).toThrow(refused('tenant'));
  expect(readQuery(Type.Partial(scoped), {})).toEqual({});
});
