import { type AppError, defineErrors } from '@tessera/kernel/errors';
import type { PasswordRule } from './domain/password-policy.ts';

/** What identity may answer beyond the failures that all services share. */
export const errors = defineErrors({
  wrongCredentials: {
    kind: 'unauthenticated',
    key: 'errors.auth.wrongCredentials',
    en: 'The address or the password is wrong.',
    de: 'Die Adresse oder das Passwort ist falsch.',
  },
  sessionOnly: {
    kind: 'forbidden',
    key: 'errors.projectApp.sessionOnly',
    en: 'Only a signed-in user can direct an app without scopes, not an API key or an app.',
    de: 'Eine App ohne Scopes kann nur eine angemeldete Person einrichten, kein API-Key und keine App.',
  },
  invalidRefreshToken: {
    kind: 'unauthenticated',
    key: 'errors.auth.invalidRefreshToken',
    en: 'This session can not be continued. Sign in again.',
    de: 'Diese Sitzung kann nicht fortgesetzt werden. Bitte melden Sie sich erneut an.',
  },
  invalidOneTimeToken: {
    kind: 'bad-input',
    key: 'errors.auth.invalidToken',
    en: 'This link is not valid any more.',
    de: 'Dieser Link ist nicht mehr gültig.',
  },
  signInToVerify: {
    kind: 'unauthenticated',
    key: 'errors.auth.signInToVerify',
    en: 'This address was added to an account. Sign in to that account to confirm it.',
    de: 'Diese Adresse wurde einem Konto hinzugefügt. Melden Sie sich bei diesem Konto an, um sie zu bestätigen.',
  },
  addressOfAnotherAccount: {
    kind: 'forbidden',
    key: 'errors.auth.addressOfAnotherAccount',
    en: 'This address was added to another account than the one that you are signed in to.',
    de: 'Diese Adresse wurde einem anderen Konto hinzugefügt als dem, bei dem Sie angemeldet sind.',
  },
  invalidState: {
    kind: 'bad-input',
    key: 'errors.oauth.invalidState',
    en: 'This sign-in was not begun here, is over, or took too long. Begin again.',
    de: 'Diese Anmeldung wurde nicht hier begonnen, ist beendet oder hat zu lange gedauert. Bitte beginnen Sie neu.',
  },
  redirectNotAllowed: {
    kind: 'bad-input',
    key: 'errors.oauth.redirectNotAllowed',
    en: 'The app has no such redirect address.',
    de: 'Die Anwendung hat keine solche Rücksprungadresse.',
  },
  providerNotAllowed: {
    kind: 'bad-input',
    key: 'errors.oauth.providerNotAllowed',
    en: 'The app does not allow this way to sign in.',
    de: 'Die Anwendung erlaubt diese Art der Anmeldung nicht.',
  },
  redirectUri: {
    kind: 'validation',
    key: 'errors.projectApp.redirectUri',
    en: 'A redirect address must be https, http on this device only, or a private scheme with a dot; without fragment and wildcard.',
    de: 'Eine Rücksprungadresse muss https sein, http nur auf diesem Gerät, oder ein eigenes Schema mit Punkt; ohne Fragment und Platzhalter.',
  },
  untrustedOrigin: {
    kind: 'forbidden',
    key: 'errors.auth.untrustedOrigin',
    en: 'Requests with a cookie are not accepted from this site.',
    de: 'Anfragen mit Cookie werden von dieser Seite nicht angenommen.',
  },
  profileOfOwnSignIn: {
    kind: 'forbidden',
    key: 'errors.user.ownProfile',
    en: 'People who can sign in change their own name, metadata and picture in their profile. You can change roles and tags here.',
    de: 'Wer sich selbst anmeldet, pflegt Namen, Metadaten und Bild selbst. Bitten Sie die Person, das in ihrem Profil zu ändern; Rollen und Tags können Sie hier ändern.',
  },
  profileOfOtherScope: {
    kind: 'forbidden',
    key: 'errors.user.homeProfile',
    en: 'This person was made elsewhere. Name, metadata and picture can be changed only there.',
    de: 'Diese Person wurde anderswo angelegt. Name, Metadaten und Bild können nur dort geändert werden.',
  },
  wrongCurrentPassword: {
    kind: 'validation',
    key: 'errors.password.wrongCurrent',
    en: 'The current password is wrong.',
    de: 'Das bisherige Passwort ist falsch.',
  },
  passwordsDiffer: {
    kind: 'validation',
    key: 'errors.password.differ',
    en: 'The two passwords differ.',
    de: 'Die beiden Passwörter unterscheiden sich.',
  },
  primaryMethod: {
    kind: 'conflict',
    key: 'errors.authenticationMethod.primary',
    en: 'The primary sign-in method can not be removed.',
    de: 'Die primäre Anmeldemethode kann nicht entfernt werden.',
  },
  unreadablePicture: {
    kind: 'validation',
    key: 'errors.picture.unreadable',
    en: 'The file is not a PNG, JPEG, WebP or GIF picture.',
    de: 'Die Datei ist kein PNG-, JPEG-, WebP- oder GIF-Bild.',
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
    de: 'Das Passwort wiederholt ein Zeichen öfter als zweimal hintereinander.',
  },
  password_common: {
    kind: 'validation',
    key: 'errors.password.common',
    en: 'The password is one of the most common ones.',
    de: 'Das Passwort gehört zu den häufigsten.',
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
export function passwordRefusal(field: string, rule: PasswordRule): AppError {
  return errors[`password_${rule}`]({ extensions: { field, reason: rule } });
}
