/** The directory of an organization, which speaks SCIM: English, German. */
export const directoryTexts = {
  directory: ['Directory', 'Verzeichnis'],
  directoryText: [
    'The directory of this organization, such as Entra or Okta, says by SCIM who works here. Whoever is switched off there is refused here at once.',
    'Das Verzeichnis dieser Organisation, etwa Entra oder Okta, sagt über SCIM, wer hier arbeitet. Wer dort gesperrt wird, wird hier sofort abgewiesen.',
  ],
  scimAddress: ['Address for the directory', 'Adresse für das Verzeichnis'],
  scimAddressHelp: [
    'Entra calls it Tenant URL, Okta calls it Base URL. The token is a directory token of a service account with the role Provisioning.',
    'Entra nennt sie Mandanten-URL, Okta Base URL. Das Token ist ein Verzeichnis-Token eines Dienstkontos mit der Rolle Provisioning.',
  ],
  directoryTokens: ['Tokens of the directory', 'Tokens des Verzeichnisses'],
  directoryTokensText: [
    'Each belongs to a service account, on whose page you make, rotate and end it. Two are good at a time, so that a change needs no pause.',
    'Jedes gehört zu einem Dienstkonto, auf dessen Seite Sie es anlegen, wechseln und beenden. Zwei gelten zugleich, damit ein Wechsel keine Pause braucht.',
  ],
  noDirectoryTokens: [
    'No token yet: make a service account with the role Provisioning, and a directory token for it.',
    'Noch kein Token: Legen Sie ein Dienstkonto mit der Rolle Provisioning an, und ein Verzeichnis-Token dafür.',
  ],
  directoryRequests: ['What the directory sent', 'Was das Verzeichnis gesendet hat'],
  directoryRequestsText: [
    'The last thousand requests of its service accounts, for 30 days, without passwords and tokens. A request with a token that is not known stands in no log.',
    'Die letzten tausend Anfragen seiner Dienstkonten, 30 Tage lang, ohne Passwörter und Tokens. Eine Anfrage mit unbekanntem Token steht in keinem Protokoll.',
  ],
  noDirectoryRequests: ['Nothing was sent yet', 'Noch nichts gesendet'],
  noDirectoryRequestsText: [
    'Enter the address and a token in your directory, and test the connection there. Each request then stands here, with the answer.',
    'Tragen Sie die Adresse und ein Token in Ihrem Verzeichnis ein, und prüfen Sie dort die Verbindung. Jede Anfrage steht dann hier, mit der Antwort.',
  ],
  requests_refused: ['Refused', 'Abgewiesen'],
  requests_answered: ['Answered', 'Beantwortet'],
  scimRequest: ['Request', 'Anfrage'],
  scimAnswer: ['Answer', 'Antwort'],
  scimReason: ['Reason', 'Grund'],
  scimFilter: ['Filter', 'Filter'],
  scimBody: ['Body, cut', 'Inhalt, gekürzt'],
  scimFrom: ['From', 'Von'],
  scimTook: ['Took', 'Dauer'],
  scimAccount: ['Service account', 'Dienstkonto'],
} as const;
