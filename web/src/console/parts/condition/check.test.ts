import { expect, test } from '@jest/globals';
import { parseCondition } from '@tessera/rules/condition';
import { conditionOf, exampleOf, faultOf, holdsFor, withComparison } from './check.ts';
import { operatorNames, paths, pathsOf, valuesFor } from './offers.ts';

test('the server reads every path that the editor offers', () => {
  for (const path of paths) {
    const whole = path.endsWith('.') ? `${path}part` : path;
    expect([path, faultOf(withComparison('', whole, 'Equals', '1', 'And'))]).toStrictEqual([path, undefined]);
  }
});

test('the server takes every value that the editor offers for an operator', () => {
  expect(operatorNames.length).toBeGreaterThan(15);
  for (const operator of operatorNames)
    for (const path of ['resource.part', 'context.acr'])
      for (const value of valuesFor(operator, path)) {
        const text = withComparison('', path, operator, value, 'And');
        expect([text, faultOf(text)]).toStrictEqual([text, undefined]);
      }
});

test('a comparison is joined by And, Or and And Not, and goes on in the list that is there', () => {
  const first = withComparison('', 'user.id', 'Equals', '"a"', 'And');
  expect(conditionOf(first)).toStrictEqual({ Equals: { 'user.id': 'a' } });
  const both = withComparison(first, 'resource.n', 'NumericLessThan', '5', 'And');
  const a = { Equals: { 'user.id': 'a' } };
  const n = { NumericLessThan: { 'resource.n': 5 } };
  expect(conditionOf(both)).toStrictEqual({ And: [a, n] });
  expect(conditionOf(withComparison(both, 'user.id', 'Equals', '"a"', 'AndNot'))).toStrictEqual({ And: [a, n, { Not: a }] });
  expect(conditionOf(withComparison(both, 'user.id', 'Equals', '"a"', 'Or'))).toStrictEqual({ Or: [{ And: [a, n] }, a] });
  expect(faultOf(withComparison(both, 'user.id', 'Equals', '"a"', 'Or'))).toBeUndefined();
});

test('an example is judged as the server judges it, with what the server sets itself', () => {
  const office = '{ "IpAddressIn": { "context.ipAddress": "10.0.0.0/8" } }';
  expect(holdsFor(office, '{ "context": { "ipAddress": "10.1.2.3" } }')).toBe(true);
  expect(holdsFor(office, '{ "context": { "ipAddress": "192.0.2.1" } }')).toBe(false);
  expect(holdsFor(office, '{}')).toBe(false);
  const past = '{ "TimeWithin": { "context.time": { "before": "2020-01-01T00:00:00Z" } } }';
  expect(holdsFor(past, '{ "context": { "time": "2019-06-01T00:00:00Z" } }')).toBe(true);
  expect(holdsFor('{ "StringEquals": { "context.acr": "aal2" } }', '{ "context": { "acr": "aal1" } }')).toBe(false);
  const own = '{ "Equals": { "resource.ownerId": "{{user.id}}" } }';
  expect(holdsFor(own, '{ "user": { "metadata": {} }, "resource": { "ownerId": "" } }')).toBe(true);
  expect(holdsFor(own, 'no JSON')).toBeUndefined();
  expect(holdsFor('{ "Equal": {} }', '{}')).toBeUndefined();
  expect(exampleOf('{ "user": {}, "secret": {}, "context": {} }')).toStrictEqual({ user: {}, context: {} });
});

test('the paths of a condition are found wherever they stand', () => {
  const condition = {
    Or: [{ Not: { In: { 'resource.region': ['eu'] } } }, { Equals: { 'resource.ownerId': '{{member.metadata.owner}}' } }],
  };
  expect(parseCondition(condition).readsMember).toBe(true);
  expect(pathsOf(condition)).toStrictEqual(['resource.region', 'resource.ownerId', 'member.metadata.owner']);
  expect(pathsOf(null)).toStrictEqual([]);
});
