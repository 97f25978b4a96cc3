/**
 * The password policy, in the order of its clauses (docs/conformance.md, passwords.1 to 10). Rules
 * look at the password after NFC and count code points, so that one visible character is one
 * character.
 */
export type PasswordRule =
  | 'tooShort'
  | 'tooLong'
  | 'noUppercase'
  | 'noLowercase'
  | 'noDigit'
  | 'noSpecial'
  | 'repeated'
  | 'common'
  | 'alphabeticSequence'
  | 'numericSequence';

const shortest = 8;
const longest = 128;
const blockedWords = ['password', '123456', 'qwerty', 'admin', 'user', 'guest'];
const blocked = new RegExp(`^\\P{L}*(?:${blockedWords.join('|')})\\P{L}*$`, 'iu');
const alphabeticSequence = new RegExp(windows('abcdefghijklmnopqrstuvwxyz').join('|'), 'i');
const numericSequence = new RegExp(windows('1234567890').join('|'));

const rules: readonly (readonly [PasswordRule, (password: string) => boolean])[] = [
  ['tooShort', (password) => [...password].length < shortest],
  ['tooLong', (password) => [...password].length > longest],
  ['noUppercase', (password) => !/\p{Lu}/u.test(password)],
  ['noLowercase', (password) => !/\p{Ll}/u.test(password)],
  ['noDigit', (password) => !/\p{Nd}/u.test(password)],
  ['noSpecial', (password) => !/[\p{P}\p{S}\p{Zs}]/u.test(password)],
  ['repeated', (password) => /(.)\1\1/su.test(password)],
  ['common', (password) => blocked.test(password)],
  ['alphabeticSequence', (password) => alphabeticSequence.test(password)],
  ['numericSequence', (password) => numericSequence.test(password)],
];

/**
 * One text for one password, however a keyboard composes its characters. Every hash and every rule
 * uses it.
 */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

/** All rules that the password breaks, in their order; the pages show them while it is typed. */
export function brokenPasswordRules(password: string): readonly PasswordRule[] {
  const normalized = normalizePassword(password);
  return rules.flatMap(([rule, breaks]) => (breaks(normalized) ? [rule] : []));
}

/** Every run of three: 'abcd' → abc, bcd. */
function windows(alphabet: string): string[] {
  return Array.from({ length: alphabet.length - 2 }, (_, start) => alphabet.slice(start, start + 3));
}
