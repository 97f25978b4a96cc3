import { describe, expect, test } from '@jest/globals';
import { chooseLanguage, failures, renderError, renderGraphqlError, translate } from './index.ts';

describe('errors', () => {
  test('an unknown failure says nothing but INTERNAL_ERROR; its stack shows only in development [spec:errors.6 spec:codes.9]', () => {
    const thrown = new Error('connection to 10.0.0.5 refused');
    const { status, body } = renderError(thrown, 'en');
    expect([status, body.code, body.stack, body.translationKey]).toStrictEqual([500, 'INTERNAL_ERROR', undefined, undefined]);
    expect(JSON.stringify(body)).not.toMatch(/10\.0\.0\.5/);
    expect(renderError(thrown, 'en', true).body.stack ?? '').toMatch(/connection to 10\.0\.0\.5/);
    expect(JSON.stringify(renderGraphqlError(thrown, 'en'))).not.toMatch(/10\.0\.0\.5/);
  });
  test('a stack never shows below 500, development or not', () =>
    expect(renderError(failures.forbidden({ cause: new Error('why') }), 'en', true).body.stack).toBeUndefined());
  test('the language is the best that is supported, English when none is', () => {
    const cases: readonly [string | undefined, string][] = [
      [undefined, 'en'],
      ['de', 'de'],
      ['de-CH, en;q=0.5', 'de'],
      ['fr, de;q=0.2', 'de'],
      ['en;q=0.1, de;q=0.9', 'de'],
      ['fr', 'en'],
      ['*', 'en'],
      ['de;q=0', 'en'],
      [';;;,,,q=', 'en'],
    ];
    for (const [header, language] of cases) expect(chooseLanguage(header)).toStrictEqualFor(header ?? 'none', language);
  });
  test('a key without a text reads as the generic failure, never as a key', () =>
    expect(translate('errors.never.defined', 'en')).toBe(translate('errors.internal', 'en')));
});
