import { expect, test } from '@jest/globals';
import { dueFactorOf } from './due-factor.ts';

test('a method that there is not is left out of a link', () => {
  expect(dueFactorOf('token=t&methods=constructor,recoveryCode,totp')).toStrictEqual({ token: 't', methods: ['totp', 'recoveryCode'] });
  for (const wrong of ['token=t&methods=constructor', 'token=t', 'methods=totp', '']) expect(dueFactorOf(wrong)).toBeUndefined();
});
