import { describe, expect, test } from '@jest/globals';
import { brokenPasswordRules, type PasswordRule } from './password-policy.ts';

const filler = 'Zq7!';
/** A policy-abiding text of exactly this many code points. */
function ofLength(length: number): string {
  return (filler + 'xR4?mT9#'.repeat(20)).slice(0, length);
}

const cases: readonly (readonly [password: string, broken: PasswordRule | undefined, why: string])[] = [
  [ofLength(7), 'tooShort', 'seven characters'],
  [ofLength(8), undefined, 'eight characters'],
  [ofLength(128), undefined, '128 characters'],
  [ofLength(129), 'tooLong', '129 characters'],
  [`${ofLength(7)}😀`, undefined, 'an emoji counts as one: eight'],
  [`${ofLength(6)}😀`, 'tooShort', 'an emoji counts as one: seven'],
  [`${ofLength(127)}😀`, undefined, 'code points, not UTF-16 units: 128'],
  [`${ofLength(6)}e\u0301`, 'tooShort', 'counted after NFC: seven'],
  [`${ofLength(7)}e\u0301`, undefined, 'counted after NFC: eight'],
  ['zq7!xr4?m', 'noUppercase', 'no upper-case letter'],
  ['Äzq7!xr4?', undefined, 'upper case is Unicode'],
  ['ZQ7!XR4?M', 'noLowercase', 'no lower-case letter'],
  ['ZQ7!XR4?é', undefined, 'lower case is Unicode'],
  ['Zqx!xrk?m', 'noDigit', 'no digit'],
  ['Zqx!xrk?\u0663', undefined, 'digits are Unicode'],
  ['Zq7xxR4ym', 'noSpecial', 'no special character'],
  ['Zq7 xR4ym', undefined, 'a space is printable and neither letter nor digit'],
  ['Zq7€xR4ym', undefined, 'any printable symbol is special'],
  ['Zq7\u0007xR4ym', 'noSpecial', 'a control character is not printable'],
  ...[...'!@#$%^&*()_+-=[]{};|,.<>/?~`\'":\\'].map((special) => [`Zq7${special}xR4ym`, undefined, `${special} is special`] as const),
  ['Zq7!xxR4m', undefined, 'two in a row'],
  ['Zq7!xxxR4', 'repeated', 'three in a row'],
  ['Zq7!xxXR4', undefined, 'x and X are not identical'],
  ['Zq7!R4m😀😀😀', 'repeated', 'three code points in a row'],
  ['Zq7!R4m\n\n\n', 'repeated', 'whatever they are'],
  ['Password1!', 'common', 'blocked word with digits and specials behind'],
  ['1!Password', 'common', 'blocked word with digits and specials before'],
  ['!1pASSWORD1!', 'common', 'any case, both sides'],
  ['MyPassword1!', undefined, 'part of a longer word'],
  ['Pass1word!', undefined, 'broken by a digit'],
  ['Qwerty7!', 'common', 'qwerty'],
  ['Admin77!', 'common', 'admin'],
  ['User4455!', 'common', 'user'],
  ['Guest77!', 'common', 'guest'],
  ['Guests77!', undefined, 'guests is not guest'],
  ['!!123456', 'noUppercase', '123456 with anything but letters has no upper-case letter either'],
  ['Zq7!abcR4', 'alphabeticSequence', 'abc'],
  ['Zq7!XyZR4', 'alphabeticSequence', 'xyz in any case'],
  ['Zq7!abRc4', undefined, 'two letters are no run'],
  ['Zq7!yzaR4', undefined, 'no wrapping from z to a'],
  ['Zq7!cbaR4', undefined, 'backwards is no run'],
  ['Zqx!R123m', 'numericSequence', '123'],
  ['Zqx!R789m', 'numericSequence', '789'],
  ['Zqx!R890m', 'numericSequence', '890 is the last run'],
  ['Zqx!R901m', undefined, '901 is beyond it'],
  ['Zqx!R012m', undefined, '012 is before the first'],
  ['Zqx!R12m3', undefined, 'two digits are no run'],
];

describe('password policy [spec:passwords.1-10 spec:constants.7]', () => {
  for (const [password, broken, why] of cases)
    test(`${why}: ${broken ?? 'accepted'}`, () => expect(brokenPasswordRules(password)[0]).toBe(broken));
});
