/** Links in mails: a proven address, a new password and its rules: English, German. */
export const mailLinkTexts = {
  checkMailTitle: ['Check your inbox', 'Prüfen Sie Ihr Postfach'],
  verifySent: [
    'We have sent a link to {email}. Open it to confirm that the address is yours. This page then goes on by itself.',
    'Wir haben einen Link an {email} gesendet. Öffnen Sie ihn, um zu bestätigen, dass die Adresse Ihnen gehört. Danach geht es hier von selbst weiter.',
  ],
  noMail: [
    'No mail? Check your spam folder, or send the link again.',
    'Keine E-Mail? Sehen Sie im Spam-Ordner nach oder lassen Sie den Link erneut senden.',
  ],
  mailsStay: [
    'This installation keeps its mails in a folder instead of sending them; the terminal that started it names the folder.',
    'Diese Installation legt ihre E-Mails in einem Ordner ab, statt sie zu senden; das Terminal, in dem sie gestartet wurde, nennt den Ordner.',
  ],
  sendAgain: ['Send the link again', 'Link erneut senden'],
  sentAgain: ['Sent again. The newest link counts.', 'Erneut gesendet. Der neueste Link gilt.'],
  later: ['Continue without it for now', 'Später bestätigen'],

  forgotTitle: ['Choose a new password', 'Neues Passwort wählen'],
  forgotText: [
    'Enter the address that you sign in with. We will send you a link.',
    'Geben Sie die Adresse ein, mit der Sie sich anmelden. Wir senden Ihnen einen Link.',
  ],
  sendLink: ['Send the link', 'Link senden'],
  resetSent: [
    'If {email} belongs to an account, a link is on its way to it. It works once and for a short time.',
    'Wenn zu {email} ein Konto gehört, ist ein Link dorthin unterwegs. Er gilt einmal und für kurze Zeit.',
  ],
  backToSignIn: ['Back to sign-in', 'Zurück zur Anmeldung'],

  verifyTitle: ['Confirm your email address', 'E-Mail-Adresse bestätigen'],
  verifyText: ['Then the address and your account belong together.', 'Danach gehören die Adresse und Ihr Konto zusammen.'],
  verifyByPassword: [
    'Enter the password that you chose when you registered, so that nobody else gets an account with your address.',
    'Geben Sie das Passwort ein, das Sie bei der Registrierung gewählt haben, damit niemand anderes ein Konto mit Ihrer Adresse bekommt.',
  ],
  verifySignIn: ['Sign in and confirm', 'Anmelden und bestätigen'],
  rejectButton: ['I did not register this', 'Ich habe mich nicht registriert'],
  rejectTitle: ['Delete this registration?', 'Diese Registrierung löschen?'],
  rejectText: [
    'Somebody has registered with your address. The account is deleted with all that was made in it, and your address is free again.',
    'Jemand hat sich mit Ihrer Adresse registriert. Das Konto wird mit allem, was darin angelegt wurde, gelöscht, und Ihre Adresse ist wieder frei.',
  ],
  rejectConfirm: ['Delete the registration', 'Registrierung löschen'],
  rejectCancel: ['Back', 'Zurück'],
  rejectedTitle: ['The registration is deleted', 'Die Registrierung wurde gelöscht'],
  rejectedText: [
    'Nobody has an account with your address now. You can register with it yourself.',
    'Mit Ihrer Adresse gibt es jetzt kein Konto mehr. Sie können sich selbst damit registrieren.',
  ],
  verifiedNotHeld: [
    'You are signed in to another account. Sign in to the one of this address; its security settings will send you a code once.',
    'Sie sind bei einem anderen Konto angemeldet. Melden Sie sich bei dem Konto mit dieser Adresse an; in dessen Sicherheitseinstellungen wird Ihnen einmal ein Code gesendet.',
  ],
  verifyButton: ['Confirm address', 'Adresse bestätigen'],
  verifiedTitle: ['Your address is confirmed', 'Ihre Adresse ist bestätigt'],
  verifiedText: ['Thank you. You can sign in now.', 'Vielen Dank. Jetzt können Sie sich anmelden.'],
  verifiedForApp: ['Thank you.', 'Vielen Dank.'],
  continueToApp: ['Continue to {app}', 'Weiter zu {app}'],
  goOnWhereBegun: [
    'You are on the way to {app}. If its window is still open on another device or in another tab, it goes on there. Otherwise open {app} and sign in.',
    'Sie sind auf dem Weg zu {app}. Wenn das Fenster auf einem anderen Gerät oder in einem anderen Tab noch offen ist, geht es dort weiter. Sonst öffnen Sie {app} und melden sich an.',
  ],
  openApp: ['Open {app}', '{app} öffnen'],
  goOnInApp: ['Go on in the app where you began.', 'Machen Sie in der Anwendung weiter, in der Sie begonnen haben.'],
  verifiedGo: ['Thank you. Everything is open to you now.', 'Vielen Dank. Jetzt steht Ihnen alles offen.'],
  verifiedAlready: [
    'Your address {who} is confirmed already. There is nothing left to do.',
    'Ihre Adresse {who} ist bereits bestätigt. Es ist nichts mehr zu tun.',
  ],
  verifyElsewhere: [
    'You are signed in as {who}. The link confirms the address that it was sent to, and leaves you signed in.',
    'Sie sind als {who} angemeldet. Der Link bestätigt die Adresse, an die er gesendet wurde; Sie bleiben angemeldet.',
  ],
  linkDeadTitle: ['This link no longer works', 'Dieser Link gilt nicht mehr'],
  linkDeadText: [
    'It was used already, has expired, or a newer one was sent.',
    'Er wurde bereits verwendet, ist abgelaufen oder durch einen neueren ersetzt.',
  ],
  linkCutTitle: ['The link is not complete', 'Der Link ist unvollständig'],
  linkCutText: [
    'Open it from the mail once more, or copy the whole address.',
    'Öffnen Sie ihn noch einmal aus der E-Mail oder kopieren Sie die ganze Adresse.',
  ],
  newLinkText: ['Enter your address to get a new link.', 'Geben Sie Ihre Adresse ein, um einen neuen Link zu erhalten.'],
  newLinkInApp: [
    'Is the address not confirmed yet? Enter it to get a new link.',
    'Ist die Adresse noch nicht bestätigt? Geben Sie sie ein, um einen neuen Link zu erhalten.',
  ],
  newLinkSent: [
    'If {email} is waiting to be confirmed, a new link is on its way to it.',
    'Wenn {email} noch bestätigt werden muss, ist ein neuer Link dorthin unterwegs.',
  ],

  resetTitle: ['Choose a new password', 'Neues Passwort wählen'],
  resetText: ['All devices of the account are signed out then.', 'Alle Geräte des Kontos werden dann abgemeldet.'],
  resetElsewhere: [
    'You are signed in as {who}. The link sets the password of the account that it was sent to.',
    'Sie sind als {who} angemeldet. Der Link ändert das Passwort des Kontos, an das er gesendet wurde.',
  ],
  resetButton: ['Save new password', 'Neues Passwort speichern'],
  resetDoneTitle: ['Your password is changed', 'Ihr Passwort wurde geändert'],
  resetDoneText: ['Sign in with the new password.', 'Melden Sie sich mit dem neuen Passwort an.'],

  ruleTitle: ['The password needs', 'Anforderungen an das Passwort'],
  ruleMet: ['met', 'erfüllt'],
  ruleOpen: ['still missing', 'fehlt noch'],
  tooShort: ['8 characters or more', 'mindestens 8 Zeichen'],
  tooLong: ['no more than 128 characters', 'höchstens 128 Zeichen'],
  noUppercase: ['an upper-case letter', 'ein Großbuchstabe'],
  noLowercase: ['a lower-case letter', 'ein Kleinbuchstabe'],
  noDigit: ['a digit', 'eine Ziffer'],
  noSpecial: ['a special character, such as ! or ?', 'ein Sonderzeichen, etwa ! oder ?'],
  repeated: ['no character three times in a row', 'kein Zeichen dreimal hintereinander'],
  common: ['not one of the most common ones', 'keines der häufigsten Passwörter'],
  alphabeticSequence: ['no run of letters such as abc', 'keine Buchstabenfolge wie abc'],
  numericSequence: ['no run of digits such as 123', 'keine Ziffernfolge wie 123'],
} as const satisfies Record<string, readonly [string, string]>;
