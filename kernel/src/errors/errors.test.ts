import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseLanguage, failures, renderError, renderGraphqlError, translate } from './index.ts';

describe('errors', () => {
  it('an unknown failure says nothing but INTERNAL_ERROR; its stack shows only in development [spec:errors.6 spec:codes.9]', () => {
    const thrown = new Error('connection to 10.0.0.5 refused');
    const { status, body } = renderError(thrown, 'en');
    assert.deepEqual([status, body.code, body.stack, body.translationKey], [500, 'INTERNAL_ERROR', undefined, undefined]);
    assert.doesNotMatch(JSON.stringify(body), /10\.0\.0\.5/);
    assert.match(renderError(thrown, 'en', true).body.stack ?? '', /connection to 10\.0\.0\.5/);
    assert.doesNotMatch(JSON.stringify(renderGraphqlError(thrown, 'en')), /10\.0\.0\.5/);
  });
  it('a stack never shows below 500, development or not', () => {
    assert.equal(renderError(failures.forbidden({ cause: new Error('why') }), 'en', true).body.stack, undefined);
  });
  it('the language is the best that is supported, English when none is', () => {
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
    for (const [header, language] of cases) assert.equal(chooseLanguage(header), language, header ?? 'none');
  });
  it('a key without a text reads as the generic failure, never as a key', () => {
    assert.equal(translate('errors.never.defined', 'en'), translate('errors.internal', 'en'));
  });
});
