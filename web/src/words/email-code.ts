/** Signing in by a code that is mailed: English, German. */
export const emailCodeTexts = {
  emailCodeAsk: ['Send me a code instead', 'Stattdessen einen Code senden'],
  emailCodeTitle: ['Enter the code', 'Code eingeben'],
  emailCodeText: [
    'If there is an account for {email}, a code of six digits is on its way to it. It works for ten minutes, in this browser.',
    'Wenn es zu {email} ein Konto gibt, ist ein sechsstelliger Code dorthin unterwegs. Er gilt zehn Minuten lang und nur in diesem Browser.',
  ],
  emailCodeAgain: ['Send a new code', 'Neuen Code senden'],
  emailCodeSentAgain: ['A new code is on its way.', 'Ein neuer Code ist unterwegs.'],
  emailCodePassword: ['Sign in with the password', 'Mit dem Passwort anmelden'],
  emailCodeLinkText: [
    'You asked for a code for {email}. The button signs you in, if you asked in this browser.',
    'Sie haben einen Code für {email} angefordert. Die Schaltfläche meldet Sie an, wenn Sie ihn in diesem Browser angefordert haben.',
  ],
  emailCodeElsewhere: [
    'Did you ask in another browser or on another device? Then enter the code {code} there.',
    'Haben Sie ihn in einem anderen Browser oder auf einem anderen Gerät angefordert? Dann geben Sie dort den Code {code} ein.',
  ],
} as const satisfies Record<string, readonly [string, string]>;
