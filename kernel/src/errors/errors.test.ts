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
      ['ja, de;q=0.2', 'de'],
      ['en;q=0.1, de;q=0.9', 'de'],
      ['ja', 'en'],
      ['fr-CA', 'fr'],
      ['*', 'en'],
      ['de;q=0', 'en'],
      [';;;,,,q=', 'en'],
    ];
    for (const [header, language] of cases) expect(chooseLanguage(header)).toStrictEqualFor(header ?? 'none', language);
  });
  test('a language that is a file translates errors and reasons, also those whose values are filled in already', () => {
    const said = (reason: { en: string; de: string }) => renderError(failures.validation('color', reason), 'fr').body.error;
    expect(said({ en: 'must be one of red, green', de: '–' })).toBe('Le champ color doit être l’une de ces valeurs\u00a0: red, green.');
    expect(said({ en: 'must not have more than 5 characters, or 20 bytes in UTF-8', de: '–' })).toMatch(
      /plus de 5 caractères, ou 20 octets/,
    );
    expect(said({ en: 'must be >= 1', de: '–' })).toMatch(/doit être >= 1/);
    expect(said({ en: 'must not have fewer than 2 items', de: '–' })).toMatch(/moins de 2 éléments/);
    expect(said({ en: 'has no translation', de: '–' })).toMatch(/has no translation/);
    expect(renderError(failures.unauthenticated(), 'es').body.error).not.toBe(renderError(failures.unauthenticated(), 'en').body.error);
  });
  test('a key without a text reads as the generic failure, never as a key', () =>
    expect(translate('errors.never.defined', 'en')).toBe(translate('errors.internal', 'en')));
});
