/** Signing in, creating an account, and what can go wrong: English, German. */
export const signInTexts = {
  signInTitle: ['Sign in to {product}', 'Bei {product} anmelden'],
  forgotPassword: ['Forgot your password?', 'Passwort vergessen?'],
  noAccount: ['No account yet?', 'Noch kein Konto?'],
  haveAccount: ['Already have an account?', 'Sie haben bereits ein Konto?'],
  with: ['Continue with {provider}', 'Weiter mit {provider}'],
  signedInAs: ['You are signed in as {who}.', 'Sie sind als {who} angemeldet.'],
  continueAs: ['Continue as {who}', 'Weiter als {who}'],
  useOther: ['Use another account', 'Ein anderes Konto verwenden'],
  endedSession: [
    'You were signed out here. That happens after a sign-in in another window of a browser like this one, a sign-out elsewhere, a changed password, or a long time without use. Sign in to continue.',
    'Sie wurden hier abgemeldet. Das geschieht nach einer Anmeldung in einem anderen Fenster eines gleichartigen Browsers, einer Abmeldung an anderer Stelle, einer Änderung des Passworts oder nach langer Zeit ohne Nutzung. Melden Sie sich an, um fortzufahren.',
  ],

  registerForApp: ['Create your account for {app}', 'Ihr Konto für {app} anlegen'],
  registerTitle: ['Create your account', 'Ihr Konto anlegen'],
  firstTitle: ['Welcome to {product}', 'Willkommen bei {product}'],
  firstText: [
    'There is no account here yet. Create the first one: it is yours.',
    'Hier gibt es noch kein Konto. Legen Sie das erste an: Es ist Ihres.',
  ],
  accountType: ['What is the account for?', 'Wofür ist das Konto?'],
  accountPersonal: ['Myself', 'Für mich'],
  accountOrganization: ['Organizations and teams', 'Organisationen und Teams'],

  signInBusy: [
    'Many people are signing in right now. This page tries again by itself in {seconds} seconds.',
    'Gerade melden sich viele Personen an. Diese Seite versucht es in {seconds} Sekunden von selbst noch einmal.',
  ],
  callbackTitle: ['Signing you in', 'Sie werden angemeldet'],
  continueTitle: ['Is this you?', 'Sind Sie das?'],
  continueText: ['{connection} signs you in as {who}.', '{connection} meldet Sie als {who} an.'],
  continueCare: [
    'Go on only if this is your account, and you wanted to sign in. Whatever you do next happens in it.',
    'Fahren Sie nur fort, wenn das Ihr Konto ist und Sie sich anmelden wollten. Alles Weitere geschieht in diesem Konto.',
  ],
  byConnectionText: [
    'Sign in by your organization’s identity provider.',
    'Melden Sie sich über den Identitätsanbieter Ihrer Organisation an.',
  ],
  otherWays: ['Sign in another way', 'Anders anmelden'],
  connectTitle: ['Connect your account', 'Ihr Konto verbinden'],
  connectText: [
    'You are signed in. Go to your organization’s sign-in once more: from then on it signs you in to this account.',
    'Sie sind angemeldet. Gehen Sie noch einmal zur Anmeldung Ihrer Organisation: Von da an meldet sie Sie in diesem Konto an.',
  ],
  connectNow: ['Connect', 'Verbinden'],
  signInAndConnect: ['Sign in, and connect the account', 'Anmelden und das Konto verbinden'],
  errorTitle: ['That did not work', 'Das hat nicht geklappt'],
  error_access_denied: ['The sign-in was cancelled or refused.', 'Die Anmeldung wurde abgebrochen oder abgelehnt.'],
  error_account_not_found: [
    'There is no account for this sign-in yet. Create one, or sign in another way.',
    'Für diese Anmeldung gibt es noch kein Konto. Legen Sie eines an oder melden Sie sich anders an.',
  ],
  error_account_exists: [
    'There is an account for this sign-in already. Sign in.',
    'Für diese Anmeldung gibt es bereits ein Konto. Melden Sie sich an.',
  ],
  error_address_not_held: [
    'There is an account with your address, and nobody has shown yet that its maker reads your mail. Choose a new password for it by mail, then sign in here again.',
    'Zu Ihrer Adresse gibt es ein Konto. Es ist aber noch nicht nachgewiesen, dass die Person, die es angelegt hat, Ihre E-Mails lesen kann. Wählen Sie dafür per E-Mail ein neues Passwort und melden Sie sich dann hier erneut an.',
  ],
  error_address_not_allowed: [
    'Your organization has not proven the domain of your email address here. Ask the people who look after its sign-in.',
    'Ihre Organisation hat die Domain Ihrer E-Mail-Adresse hier nicht nachgewiesen. Wenden Sie sich an die Personen, die ihre Anmeldung betreuen.',
  ],
  error_address_not_verified: [
    'Your organization’s provider says that your address is not verified. Verify it there, then sign in again.',
    'Der Anbieter Ihrer Organisation meldet, dass Ihre Adresse nicht bestätigt ist. Bestätigen Sie sie dort und melden Sie sich dann erneut an.',
  ],
  error_address_not_yours: [
    'Your account does not have the address that your organization’s provider names. Add it to your account and confirm it, then connect again.',
    'Ihr Konto hat nicht die Adresse, die der Anbieter Ihrer Organisation nennt. Fügen Sie sie hinzu, bestätigen Sie sie und verbinden Sie dann noch einmal.',
  ],
  error_address_taken: ['This address belongs to another account.', 'Diese Adresse gehört zu einem anderen Konto.'],
  error_connection_off: [
    'Your organization has switched this sign-in off. Sign in another way, or ask the people who look after it.',
    'Ihre Organisation hat diese Anmeldung abgeschaltet. Melden Sie sich anders an oder wenden Sie sich an die Personen, die sie betreuen.',
  ],
  error_link_needed: [
    'There is an account with this address. Sign in to it in your own way first, then connect it with your organization.',
    'Zu dieser Adresse gibt es ein Konto. Melden Sie sich erst auf Ihre eigene Weise an und verbinden Sie es dann mit Ihrer Organisation.',
  ],
  error_not_a_member: [
    'You are no member of this organization any more. Ask it to invite you.',
    'Sie sind nicht mehr Mitglied dieser Organisation. Bitten Sie sie um eine Einladung.',
  ],
  error_organization_full: [
    'Your organization has no place for another member. Ask the people who look after it.',
    'Ihre Organisation hat keinen Platz für ein weiteres Mitglied. Wenden Sie sich an die Personen, die sie verwalten.',
  ],
  error_own_way_needed: [
    'Sign in in your own way first: one organization’s sign-in cannot add another.',
    'Melden Sie sich erst auf Ihre eigene Weise an: Die Anmeldung einer Organisation kann keine weitere hinzufügen.',
  ],
  error_identity_taken: ['This identity belongs to another account.', 'Diese Identität gehört zu einem anderen Konto.'],
  error_method_exists: ['Your account has a sign-in of this kind already.', 'Ihr Konto hat bereits eine Anmeldemethode dieser Art.'],
  error_not_fresh: [
    'The provider let you through without asking who you are, so that this proves nothing new. Sign out there, or confirm in another way.',
    'Der Anbieter hat Sie durchgelassen, ohne zu fragen, wer Sie sind; das beweist nichts Neues. Melden Sie sich dort ab oder bestätigen Sie auf andere Weise.',
  ],
  error_session_ended: [
    'Your session has ended meanwhile. Sign in and try again.',
    'Ihre Sitzung ist inzwischen beendet. Melden Sie sich an und versuchen Sie es erneut.',
  ],
  error_invalid_state: [
    'This sign-in was begun elsewhere, is over, or took too long. Begin again.',
    'Diese Anmeldung wurde anderswo begonnen, ist beendet oder hat zu lange gedauert. Beginnen Sie neu.',
  ],
  error_temporarily_unavailable: [
    'The service for this sign-in does not answer. Try again in a moment.',
    'Der Dienst für diese Anmeldung antwortet nicht. Versuchen Sie es gleich noch einmal.',
  ],
  error_connection_unavailable: [
    'The sign-in of your organization does not answer just now. Try again in a moment. Sessions that are open go on.',
    'Die Anmeldung Ihrer Organisation antwortet gerade nicht. Versuchen Sie es gleich noch einmal. Offene Sitzungen laufen weiter.',
  ],
  error_invalid_request: [
    'The address that led here is not valid. Go back and begin again.',
    'Die Adresse, die hierher führte, ist ungültig. Gehen Sie zurück und beginnen Sie neu.',
  ],
  error_invalid_redirect_uri: [
    'The application asked to send you back to an address that is not registered for it. Whoever runs it adds the address to the redirect URIs of the app; the audit log of the project says which one was sent.',
    'Die Anwendung wollte Sie zu einer Adresse zurückschicken, die für sie nicht registriert ist. Ihr Betreiber muss die Adresse bei den Redirect-URIs der Anwendung eintragen; das Audit-Log des Projekts nennt die gesendete Adresse.',
  ],
  error_invalid_client: [
    'The application that sent you here is not known: its client id is wrong, or the app was deleted. Whoever runs it compares client id and issuer with the page of the app.',
    'Die Anwendung, die Sie hierher geschickt hat, ist nicht bekannt: Die Client-ID ist falsch, oder die Anwendung wurde gelöscht. Ihr Betreiber kann Client-ID und Aussteller mit der Seite der Anwendung vergleichen.',
  ],
  error_unauthorized_client: [
    'The application may not sign people in this way. Whoever runs it looks at the type and the grant types of the app.',
    'Die Anwendung darf Personen so nicht anmelden. Ihr Betreiber muss Typ und Grants der Anwendung prüfen.',
  ],
  error_unsupported_response_type: [
    'The application asks for a kind of answer that is not given. Whoever runs it sets response_type to code.',
    'Die Anwendung verlangt eine Art von Antwort, die es nicht gibt. Ihr Betreiber muss response_type auf code setzen.',
  ],
  error_server_error: ['Something went wrong on our side. Try again.', 'Bei uns ist ein Fehler aufgetreten. Versuchen Sie es erneut.'],
  error_not_found: [
    'There is no such page. Perhaps the address was cut off.',
    'Diese Seite gibt es nicht. Vielleicht wurde die Adresse abgeschnitten.',
  ],
  createWith: ['Create account with {provider}', 'Konto mit {provider} anlegen'],
} as const satisfies Record<string, readonly [string, string]>;
