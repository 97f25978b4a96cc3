/** What a test of a connection showed, in the console and on set-up pages: English, German. */
export const connectionTestTexts = {
  testConnection: ['Test the connection', 'Verbindung testen'],
  resultOfTest: ['Result of the test', 'Ergebnis des Tests'],
  test_waiting: ['Not opened', 'Nicht geöffnet'],
  test_opened: ['Not back', 'Noch nicht zurück'],
  test_passed: ['Passed', 'Bestanden'],
  test_refused: ['Refused', 'Abgelehnt'],
  test_failed: ['Failed', 'Fehlgeschlagen'],
  testPassedText: ['This person would be signed in.', 'Diese Person würde angemeldet.'],
  testOpenedText: [
    'The browser has not come back. Most providers say on their own page what is wrong: often an unknown redirect URI or ACS URL, or a person to whom the application is not assigned.',
    'Der Browser ist nicht zurückgekommen. Die meisten Anbieter zeigen auf ihrer eigenen Seite, was falsch ist: oft eine unbekannte Redirect-URI oder ACS-URL oder eine Person, der die Anwendung nicht zugewiesen ist.',
  ],
  providerSaid: ['The provider says: {said}', 'Der Anbieter meldet: {said}'],
  technically: ['In detail: {reason}', 'Im Detail: {reason}'],
  'cause_upstream-error': ['The provider refused the sign-in.', 'Der Anbieter hat die Anmeldung abgelehnt.'],
  'cause_client-refused': [
    'The provider does not take the client ID or the secret. Compare both.',
    'Der Anbieter akzeptiert Client-ID oder Geheimnis nicht. Prüfen Sie beides.',
  ],
  cause_unreachable: [
    'This server cannot reach the provider. Look at the issuer, and whether the provider runs.',
    'Dieser Server erreicht den Anbieter nicht. Prüfen Sie den Aussteller, und ob der Anbieter läuft.',
  ],
  cause_discovery: [
    'There is no usable discovery document at the issuer.',
    'Unter dem Aussteller liegt kein brauchbares Discovery-Dokument.',
  ],
  cause_userinfo: [
    'The userinfo endpoint of the provider gave no usable answer.',
    'Der Userinfo-Endpunkt des Anbieters lieferte keine brauchbare Antwort.',
  ],
  cause_issuer: [
    'The answer is of another issuer than the one entered here.',
    'Die Antwort stammt von einem anderen Aussteller als dem hier eingetragenen.',
  ],
  cause_audience: ['The answer is for another client or entity ID.', 'Die Antwort ist für eine andere Client- oder Entity-ID.'],
  cause_signature: [
    'The signature is not of a key or certificate that is known here, or its algorithm is not taken.',
    'Die Signatur stammt von keinem hier bekannten Schlüssel oder Zertifikat, oder ihr Algorithmus wird nicht akzeptiert.',
  ],
  cause_clock: [
    'The answer is too old or not valid yet: compare the clocks.',
    'Die Antwort ist zu alt oder noch nicht gültig: Vergleichen Sie die Uhren.',
  ],
  cause_request: [
    'The answer belongs to another request. Start the test again.',
    'Die Antwort gehört zu einer anderen Anfrage. Starten Sie den Test noch einmal.',
  ],
  cause_answer: ['The provider’s answer is malformed.', 'Die Antwort des Anbieters ist fehlerhaft.'],
  cause_ours: [
    'This server could not finish the test. Try again in a moment.',
    'Dieser Server konnte den Test nicht abschließen. Versuchen Sie es gleich noch einmal.',
  ],
  'finding_no-domain': [
    'No domain is proven yet, so the provider speaks for no address.',
    'Es ist noch keine Domain nachgewiesen, deshalb gilt der Anbieter für keine Adresse.',
  ],
  'finding_no-address': [
    'No address came. Let the provider send the claim or attribute email.',
    'Es kam keine Adresse. Lassen Sie den Anbieter den Claim oder das Attribut email senden.',
  ],
  'finding_address-not-allowed': [
    'The address is outside of your proven domains.',
    'Die Adresse liegt außerhalb Ihrer nachgewiesenen Domains.',
  ],
  'finding_address-not-verified': [
    'The provider says that the address is not verified.',
    'Der Anbieter meldet, dass die Adresse nicht bestätigt ist.',
  ],
  'finding_address-not-held': [
    'An account here is registered with this address, and its owner has not shown that the mailbox is theirs.',
    'Mit dieser Adresse ist hier ein Konto registriert, und sein Inhaber hat nicht nachgewiesen, dass das Postfach ihm gehört.',
  ],
  'finding_address-taken': ['The address belongs to another account.', 'Die Adresse gehört einem anderen Konto.'],
  'finding_link-needed': [
    'This person has an account already: they sign in in their own way once, and connect it.',
    'Diese Person hat schon ein Konto: Sie meldet sich einmal auf ihre eigene Weise an und verbindet es.',
  ],
  'finding_not-a-member': [
    'This person left or was removed. An invitation lets them in again.',
    'Diese Person hat die Organisation verlassen oder wurde entfernt. Laden Sie sie ein, um sie wieder aufzunehmen.',
  ],
  'finding_organization-full': [
    'The organization has no place for one more member.',
    'Die Organisation hat keinen Platz für ein weiteres Mitglied.',
  ],
  finding_refused: ['This person would not be signed in.', 'Diese Person würde nicht angemeldet.'],
  'finding_no-name': ['No name came; the address is shown in its place.', 'Es kam kein Name; stattdessen wird die Adresse angezeigt.'],
  'finding_claim-missing': [
    'The mapping reads claims that did not come: {claims}',
    'Die Zuordnung verwendet Claims, die nicht geliefert wurden: {claims}',
  ],
  'finding_groups-elsewhere': [
    'The provider says that the groups stand elsewhere, which is not followed. Send application roles or assigned groups only.',
    'Der Anbieter verweist für die Gruppen auf eine andere Stelle; solchen Verweisen wird nicht gefolgt. Senden Sie nur Anwendungsrollen oder zugewiesene Gruppen.',
  ],
  'finding_nothing-mapped': [
    'No line of the mapping applies: the default role is given.',
    'Keine Zeile der Zuordnung passt: Die Standardrolle wird vergeben.',
  ],
  'finding_default-role-gone': [
    'The default role was deleted, or who chose it may not give it any more: Viewer is given. Choose it again.',
    'Die Standardrolle wurde gelöscht, oder wer sie gewählt hat, darf sie nicht mehr vergeben: Vergeben wird Viewer. Wählen Sie sie neu.',
  ],
  whatCame: ['What came', 'Was kam'],
  whatItBecame: ['What it became', 'Was daraus wurde'],
  subjectOfPerson: ['Subject', 'Subjekt'],
  domainOfAddress: ['Domain of the address', 'Domain der Adresse'],
  domainIsYours: ['proven by you', 'von Ihnen nachgewiesen'],
  domainIsNotYours: ['not proven by you', 'nicht von Ihnen nachgewiesen'],
} as const satisfies Readonly<Record<string, readonly [en: string, de: string]>>;
