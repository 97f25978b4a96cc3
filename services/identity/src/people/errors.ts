import { type AppError, defineErrors } from '@tessera/kernel/errors';
import type { PasswordRule } from '@tessera/rules/password-policy';

/** What rules about people, their addresses and passwords refuse. */
export const errors = defineErrors({
  signInBusy: {
    kind: 'busy',
    key: 'errors.auth.signInBusy',
    en: 'Many people are signing in right now. Try again in {seconds} seconds.',
    de: 'Gerade melden sich viele Personen an. Versuchen Sie es in {seconds} Sekunden noch einmal.',
  },
  addressProvenElsewhere: {
    kind: 'conflict',
    key: 'errors.auth.addressProvenElsewhere',
    en: 'Another account has shown that this address is its own. Sign in to that account; you may delete this registration.',
    de: 'Ein anderes Konto hat nachgewiesen, dass diese Adresse zu ihm gehört. Melden Sie sich bei dem anderen Konto an; diese Registrierung können Sie löschen.',
  },
  importAgain: {
    kind: 'conflict',
    key: 'errors.import.again',
    en: 'Meanwhile somebody has confirmed one of these addresses. Nobody was imported; send the same rows again.',
    de: 'Inzwischen hat jemand eine dieser Adressen bestätigt. Niemand wurde importiert; senden Sie dieselben Zeilen noch einmal.',
  },
  profileOfOwnSignIn: {
    kind: 'forbidden',
    key: 'errors.user.ownProfile',
    en: 'People who can sign in change their own name, metadata and picture in their profile. You can change roles and tags here.',
    de: 'Wer sich anmelden kann, pflegt Namen, Metadaten und Bild selbst im eigenen Profil. Rollen und Tags können Sie hier ändern.',
  },
  profileOfOtherScope: {
    kind: 'forbidden',
    key: 'errors.user.homeProfile',
    en: 'This person was made elsewhere. Name, metadata and picture can be changed only there.',
    de: 'Diese Person wurde anderswo angelegt. Name, Metadaten und Bild können nur dort geändert werden.',
  },
  unreadablePicture: {
    kind: 'validation',
    key: 'errors.picture.unreadable',
    en: 'This file is not a picture that can be used. Choose a PNG, JPEG, WebP or GIF.',
    de: 'Diese Datei ist kein Bild, das sich verwenden lässt. Wählen Sie ein PNG, JPEG, WebP oder GIF.',
  },
  noAddressForTest: {
    kind: 'conflict',
    key: 'errors.mailText.noAddress',
    en: 'A test goes to your own confirmed email address, and you have none. Sign in with an account that has one.',
    de: 'Ein Test geht an Ihre eigene bestätigte E-Mail-Adresse, aber Sie haben keine. Melden Sie sich mit einem Konto an, das eine hat.',
  },
  password_tooShort: {
    kind: 'validation',
    key: 'errors.password.tooShort',
    en: 'The password needs at least 8 characters.',
    de: 'Das Passwort braucht mindestens 8 Zeichen.',
  },
  password_tooLong: {
    kind: 'validation',
    key: 'errors.password.tooLong',
    en: 'The password may have at most 128 characters.',
    de: 'Das Passwort darf höchstens 128 Zeichen haben.',
  },
  password_noUppercase: {
    kind: 'validation',
    key: 'errors.password.noUppercase',
    en: 'The password needs an upper-case letter.',
    de: 'Das Passwort braucht einen Großbuchstaben.',
  },
  password_noLowercase: {
    kind: 'validation',
    key: 'errors.password.noLowercase',
    en: 'The password needs a lower-case letter.',
    de: 'Das Passwort braucht einen Kleinbuchstaben.',
  },
  password_noDigit: {
    kind: 'validation',
    key: 'errors.password.noDigit',
    en: 'The password needs a digit.',
    de: 'Das Passwort braucht eine Ziffer.',
  },
  password_noSpecial: {
    kind: 'validation',
    key: 'errors.password.noSpecial',
    en: 'The password needs a special character.',
    de: 'Das Passwort braucht ein Sonderzeichen.',
  },
  password_repeated: {
    kind: 'validation',
    key: 'errors.password.repeated',
    en: 'The password repeats a character more than twice in a row.',
    de: 'Das Passwort enthält ein Zeichen mehr als zweimal hintereinander.',
  },
  password_common: {
    kind: 'validation',
    key: 'errors.password.common',
    en: 'This password is one of the most common ones and easy to guess. Choose another.',
    de: 'Dieses Passwort gehört zu den häufigsten und ist leicht zu erraten. Wählen Sie ein anderes.',
  },
  password_breached: {
    kind: 'validation',
    key: 'errors.password.breached',
    en: 'This password is known from a data breach and easy to guess. Choose another, and change it wherever else you use it.',
    de: 'Dieses Passwort ist aus einem Datenleck bekannt und leicht zu erraten. Wählen Sie ein anderes, und ändern Sie es auch überall sonst, wo Sie es verwenden.',
  },
  password_alphabeticSequence: {
    kind: 'validation',
    key: 'errors.password.alphabeticSequence',
    en: 'The password contains letters in alphabetical order, such as abc.',
    de: 'Das Passwort enthält Buchstaben in alphabetischer Reihenfolge, etwa abc.',
  },
  password_numericSequence: {
    kind: 'validation',
    key: 'errors.password.numericSequence',
    en: 'The password contains digits in order, such as 123.',
    de: 'Das Passwort enthält aufeinanderfolgende Ziffern, etwa 123.',
  },
});

/** Names the field and the rule, never the password. */
export function passwordRefusal(field: string, rule: PasswordRule | 'breached'): AppError {
  return errors[`password_${rule}`]({ extensions: { field, reason: rule } });
}
