import { defineErrors } from '@tessera/kernel/errors';

/** What rules about apps of projects refuse. */
export const errors = defineErrors({
  sessionOnly: {
    kind: 'forbidden',
    key: 'errors.projectApp.sessionOnly',
    en: 'Only a signed-in user can direct an app without scopes, not an API key or an app.',
    de: 'Eine Anwendung ohne Scopes kann nur eine angemeldete Person einrichten, kein API-Schlüssel und keine Anwendung.',
  },
  personNeeded: {
    kind: 'forbidden',
    key: 'errors.projectApp.personNeeded',
    en: 'A person must do this, or an API key that a person made. An app cannot.',
    de: 'Das muss eine Person tun, oder ein API-Schlüssel, den eine Person angelegt hat. Eine Anwendung kann es nicht.',
  },
  ofDocument: {
    kind: 'conflict',
    key: 'errors.projectApp.ofDocument',
    en: 'This client is known by the document at its address, which alone says what it is. You can delete it.',
    de: 'Diesen Client beschreibt allein das Dokument an seiner Adresse. Sie können ihn nur löschen.',
  },
  clientDomain: {
    kind: 'validation',
    key: 'errors.clientDocuments.domain',
    en: 'Enter the exact name of a host, in lower case and without a scheme or a path, as in example.com.',
    de: 'Geben Sie den genauen Namen eines Hosts ein, in Kleinbuchstaben und ohne Schema und Pfad, etwa example.com.',
  },
  clientScope: {
    kind: 'validation',
    key: 'errors.clientDocuments.scope',
    en: 'Clients that nobody has registered get no built-in action, nor one that is written like them.',
    de: 'Clients, die niemand registriert hat, erhalten keine vordefinierte Aktion und keine, die so geschrieben ist.',
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
  ownerIsAPerson: {
    kind: 'validation',
    key: 'errors.serviceAccount.owner',
    en: 'A service account cannot be Owner. Give it Admin, or a role with what it needs.',
    de: 'Ein Dienstkonto kann nicht Eigentümer sein. Geben Sie ihm die Rolle Admin oder eine Rolle mit den Rechten, die es braucht.',
  },
  notByMachines: {
    kind: 'forbidden',
    key: 'errors.serviceAccount.notByMachines',
    en: 'A service account cannot make credentials for service accounts. A person must do this.',
    de: 'Ein Dienstkonto kann keine Zugangsdaten für Dienstkonten anlegen. Das muss eine Person tun.',
  },
  outsideNetworks: {
    kind: 'forbidden',
    key: 'errors.serviceAccount.outsideNetworks',
    en: 'A service account with allowed networks makes and changes only accounts whose networks lie within its own. Name such networks.',
    de: 'Ein Dienstkonto mit erlaubten Netzen legt nur Konten an und ändert nur solche, deren Netze innerhalb der eigenen liegen. Geben Sie solche Netze an.',
  },
  enoughCredentials: {
    kind: 'conflict',
    key: 'errors.serviceAccount.enoughCredentials',
    en: 'The service account has four credentials already. Delete one that is not used any more.',
    de: 'Das Dienstkonto hat bereits vier Einträge unter Zugangsdaten. Löschen Sie einen, der nicht mehr verwendet wird.',
  },
  enoughDirectoryTokens: {
    kind: 'conflict',
    key: 'errors.serviceAccount.enoughDirectoryTokens',
    en: 'The service account has two directory tokens, or four credentials. Delete one that the directory does not use any more.',
    de: 'Das Dienstkonto hat zwei Verzeichnis-Tokens oder vier Einträge unter Zugangsdaten. Löschen Sie einen, den das Verzeichnis nicht mehr verwendet.',
  },
  unreadableColors: {
    kind: 'validation',
    key: 'errors.branding.unreadableColors',
    en: 'These colours cannot be read: their contrast is below 4.5. Make one of them darker or lighter.',
    de: 'Diese Farben lassen sich nicht lesen: Ihr Kontrast liegt unter 4,5. Machen Sie eine von ihnen dunkler oder heller.',
  },
  redirectUri: {
    kind: 'validation',
    key: 'errors.projectApp.redirectUri',
    en: 'A redirect address must be https, http on this device only, or (installed apps) a private scheme with a dot; without fragment and wildcard, and no operation of the platform.',
    de: 'Eine Redirect-URI muss https verwenden, http nur auf diesem Gerät, oder (bei installierten Anwendungen) ein eigenes Schema mit Punkt; ohne Fragment und Platzhalter, und sie darf keine Operation der Plattform sein.',
  },
});
