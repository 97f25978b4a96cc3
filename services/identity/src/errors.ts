import { type AppError, defineErrors } from '@tessera/kernel/errors';
import type { PasswordRule } from '@tessera/rules/password-policy';

/** What identity may answer beyond the failures that all services share. */
export const errors = defineErrors({
  wrongSecondFactor: {
    kind: 'unauthenticated',
    key: 'errors.auth.wrongSecondFactor',
    en: 'This password, code or passkey is wrong, or was used already. Try again.',
    de: 'Dieses Passwort, dieser Code oder Passkey ist falsch oder wurde schon verwendet. Versuchen Sie es noch einmal.',
  },
  endedSignIn: {
    kind: 'bad-input',
    key: 'errors.auth.endedSignIn',
    en: 'This sign-in took too long or had too many wrong tries. Begin again.',
    de: 'Diese Anmeldung hat zu lange gedauert oder es gab zu viele falsche Versuche. Bitte beginnen Sie neu.',
  },
  endedRecovery: {
    kind: 'bad-input',
    key: 'errors.auth.endedRecovery',
    en: 'This link does not work any more: it was used, a sign-in stopped the recovery, or it was not used in time.',
    de: 'Dieser Link gilt nicht mehr: Er wurde verwendet, eine Anmeldung hat die Wiederherstellung beendet, oder er wurde nicht rechtzeitig benutzt.',
  },
  noProvenAddress: {
    kind: 'conflict',
    key: 'errors.auth.noProvenAddress',
    en: 'Your account has no confirmed email address, so it cannot be recovered by mail. Ask the people who run this service.',
    de: 'Ihr Konto hat keine bestätigte E-Mail-Adresse und lässt sich deshalb nicht per E-Mail wiederherstellen. Wenden Sie sich an den Betreiber.',
  },
  passkeyRefused: {
    kind: 'validation',
    key: 'errors.secondFactor.passkeyRefused',
    en: 'This passkey could not be added. It must check that it is you (PIN, fingerprint, face); try again.',
    de: 'Dieser Passkey konnte nicht hinzugefügt werden. Er muss prüfen, dass Sie es sind (PIN, Finger, Gesicht); versuchen Sie es noch einmal.',
  },
  passkeyTaken: {
    kind: 'conflict',
    key: 'errors.secondFactor.passkeyTaken',
    en: 'This passkey is in use already.',
    de: 'Dieser Passkey wird bereits verwendet.',
  },
  totpExists: {
    kind: 'conflict',
    key: 'errors.secondFactor.totpExists',
    en: 'You have an authenticator app already. Remove it before you add another.',
    de: 'Sie haben bereits eine Authenticator-App. Entfernen Sie sie, bevor Sie eine andere hinzufügen.',
  },
  noSecondFactor: {
    kind: 'conflict',
    key: 'errors.secondFactor.none',
    en: 'Set up an authenticator app or a passkey first.',
    de: 'Richten Sie zuerst eine Authenticator-App oder einen Passkey ein.',
  },
  noPassword: {
    kind: 'conflict',
    key: 'errors.auth.noPassword',
    en: 'You have no password. Confirm at the provider that you sign in with.',
    de: 'Sie haben kein Passwort. Bestätigen Sie bei dem Anbieter, mit dem Sie sich anmelden.',
  },
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
  personNeeded: {
    kind: 'forbidden',
    key: 'errors.projectApp.personNeeded',
    en: 'A person must do this, or an API key that a person made. An app cannot.',
    de: 'Das muss eine Person tun, oder ein API-Key, den eine Person angelegt hat. Eine Anwendung kann es nicht.',
  },
  enoughSecrets: {
    kind: 'conflict',
    key: 'errors.projectApp.enoughSecrets',
    en: 'The app has two secrets already. Delete the one that is not used any more.',
    de: 'Die Anwendung hat bereits zwei Geheimnisse. Löschen Sie das, das nicht mehr verwendet wird.',
  },
  noSecrets: {
    kind: 'conflict',
    key: 'errors.projectApp.noSecrets',
    en: 'Only apps of type web and machine that do not sign their requests have secrets.',
    de: 'Nur Anwendungen vom Typ web und machine, die ihre Anfragen nicht signieren, haben Geheimnisse.',
  },
  addressTaken: {
    kind: 'conflict',
    key: 'errors.auth.addressTaken',
    en: 'An account with this address exists already. Sign in, or choose a new password.',
    de: 'Ein Konto mit dieser Adresse gibt es bereits. Melden Sie sich an oder wählen Sie ein neues Passwort.',
  },
  methodTaken: {
    kind: 'conflict',
    key: 'errors.authenticationMethod.taken',
    en: 'This address is in use by an account already, perhaps by another one of yours.',
    de: 'Diese Adresse wird bereits von einem Konto verwendet, vielleicht von einem anderen Ihrer Konten.',
  },
  methodOfKindExists: {
    kind: 'conflict',
    key: 'errors.authenticationMethod.kindExists',
    en: 'Your account has a way to sign in of this kind already. Remove it before you add another.',
    de: 'Ihr Konto hat bereits eine Anmeldemöglichkeit dieser Art. Entfernen Sie sie, bevor Sie eine andere hinzufügen.',
  },
  invalidRefreshToken: {
    kind: 'unauthenticated',
    key: 'errors.auth.invalidRefreshToken',
    en: 'Your session has ended. Sign in again.',
    de: 'Ihre Sitzung ist beendet. Bitte melden Sie sich erneut an.',
  },
  invalidOneTimeToken: {
    kind: 'bad-input',
    key: 'errors.auth.invalidToken',
    en: 'This link does not work any more: it was used, has expired, or a newer one was sent. Ask for a new one.',
    de: 'Dieser Link gilt nicht mehr: Er wurde verwendet, ist abgelaufen oder durch einen neueren ersetzt. Bitte fordern Sie einen neuen an.',
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
  freshSignIn: {
    kind: 'forbidden',
    key: 'errors.openid.freshSignIn',
    en: 'The app asks you to sign in again, although you are signed in.',
    de: 'Die Anwendung verlangt, dass Sie sich noch einmal anmelden, obwohl Sie angemeldet sind.',
  },
  redirectNotAllowed: {
    kind: 'bad-input',
    key: 'errors.oauth.redirectNotAllowed',
    en: 'The app has not registered the address to which it wants to send you back. Tell the people who run it.',
    de: 'Die Anwendung hat die Adresse nicht registriert, zu der sie Sie zurückschicken will. Wenden Sie sich an ihren Betreiber.',
  },
  providerNotAllowed: {
    kind: 'bad-input',
    key: 'errors.oauth.providerNotAllowed',
    en: 'The app does not allow this way to sign in. Choose another.',
    de: 'Die Anwendung erlaubt diese Art der Anmeldung nicht. Wählen Sie eine andere.',
  },
  redirectUri: {
    kind: 'validation',
    key: 'errors.projectApp.redirectUri',
    en: 'A redirect address must be https, http on this device only, or (installed apps) a private scheme with a dot; without fragment and wildcard, and no operation of the platform.',
    de: 'Eine Rücksprungadresse muss https sein, http nur auf diesem Gerät, oder (installierte Anwendungen) ein eigenes Schema mit Punkt; ohne Fragment und Platzhalter, und keine Operation der Plattform.',
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
    en: 'The two passwords differ. Type the new one twice.',
    de: 'Die beiden Passwörter unterscheiden sich. Geben Sie das neue zweimal ein.',
  },
  primaryMethod: {
    kind: 'conflict',
    key: 'errors.authenticationMethod.primary',
    en: 'This is your primary way to sign in. Make another one primary, then remove it.',
    de: 'Das ist Ihre primäre Anmeldemöglichkeit. Machen Sie zuerst eine andere dazu, dann können Sie sie entfernen.',
  },
  unreadablePicture: {
    kind: 'validation',
    key: 'errors.picture.unreadable',
    en: 'This file is not a picture that can be used. Choose a PNG, JPEG, WebP or GIF.',
    de: 'Diese Datei ist kein Bild, das sich verwenden lässt. Wählen Sie ein PNG, JPEG, WebP oder GIF.',
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
    en: 'This password is one of the most common ones and easy to guess. Choose another.',
    de: 'Dieses Passwort gehört zu den häufigsten und ist leicht zu erraten. Wählen Sie ein anderes.',
  },
  password_breached: {
    kind: 'validation',
    key: 'errors.password.breached',
    en: 'This password is known from a data breach and easy to guess. Choose another, and change it wherever else you use it.',
    de: 'Dieses Passwort ist aus einem Datenleck bekannt und leicht zu erraten. Wählen Sie ein anderes, und ändern Sie es auch überall sonst.',
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
