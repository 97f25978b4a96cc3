/** The page of a set-up link: English, German. */
export const setUpTexts = {
  setUpTitle: ['Set up the sign-in of your organization', 'Anmeldung Ihrer Organisation einrichten'],
  setUpText: [
    'You prove the domains of your organization and connect its identity provider. You need no account. The link works in one browser: begin where you will do the work.',
    'Sie weisen die Domains Ihrer Organisation nach und verbinden ihren Identitätsanbieter. Sie brauchen kein Konto. Der Link gilt in einem Browser: Beginnen Sie dort, wo Sie daran arbeiten.',
  ],
  setUpBegin: ['Begin', 'Beginnen'],
  setUpOf: ['Sign-in of {organization}', 'Anmeldung von {organization}'],
  setUpAsked: [
    '{maker} asks you to set it up. The link works in this browser until {when}; you can close the page and come back.',
    '{maker} bittet Sie, sie einzurichten. Der Link gilt in diesem Browser bis {when}; Sie können die Seite schließen und wiederkommen.',
  ],
  setUpEndedTitle: ['This link does not work', 'Dieser Link gilt nicht'],
  setUpUnknown: [
    'It is not known here, or belongs to another browser. Open the link from the mail in the browser where you began, or ask for another one.',
    'Er ist hier nicht bekannt oder gehört zu einem anderen Browser. Öffnen Sie den Link aus der E-Mail in dem Browser, in dem Sie begonnen haben, oder bitten Sie um einen neuen.',
  ],
  setUpDomains: ['Prove your domains', 'Domains nachweisen'],
  setUpDomainsText: [
    'Add the domain of your mail addresses, and publish the TXT record that you get. Leave it there: it is looked for every day.',
    'Fügen Sie die Domain Ihrer E-Mail-Adressen hinzu und veröffentlichen Sie den TXT-Eintrag, den Sie bekommen. Lassen Sie ihn stehen: Er wird täglich geprüft.',
  ],
  setUpDomain: ['Domain', 'Domain'],
  setUpDomainHelp: ['Like example.com', 'Zum Beispiel example.com'],
  setUpAddDomain: ['Add the domain', 'Domain hinzufügen'],
  setUpEnterDomain: ['Enter a domain', 'Geben Sie eine Domain ein'],
  setUpProven: ['Proven', 'Nachgewiesen'],
  setUpNotProven: ['Not proven yet', 'Noch nicht nachgewiesen'],
  setUpRecordName: ['Name of the TXT record', 'Name des TXT-Eintrags'],
  setUpRecordValue: ['Value', 'Wert'],
  setUpCheck: ['Check {domain} now', '{domain} jetzt prüfen'],
  setUp_record_missing: [
    'There is no TXT record of this name yet. After it is published, it can take some minutes until it is seen everywhere.',
    'Es gibt noch keinen TXT-Eintrag mit diesem Namen. Nach dem Veröffentlichen kann es einige Minuten dauern, bis er überall zu sehen ist.',
  ],
  setUp_record_differs: [
    'There is a TXT record of this name, with another value. Compare it with the one above.',
    'Es gibt einen TXT-Eintrag mit diesem Namen, aber mit anderem Wert. Vergleichen Sie ihn mit dem Eintrag oben.',
  ],
  setUp_dns_failed: [
    'The DNS gave no answer. Nothing has changed; try again in some minutes.',
    'Das DNS gab keine Antwort. Es hat sich nichts geändert; versuchen Sie es in einigen Minuten erneut.',
  ],
  setUp_claimed_elsewhere: [
    'The record is right, but another organization here has this domain.',
    'Der Eintrag stimmt, aber eine andere Organisation hier hat diese Domain.',
  ],
  setUpProvider: ['Connect your identity provider', 'Identitätsanbieter verbinden'],
  setUpWhich: ['Your provider', 'Ihr Anbieter'],
  setUpOther: ['Another one', 'Ein anderer'],
  setUpHow: ['How it speaks', 'Protokoll'],
  setUpEnter: ['Enter this at your provider', 'Das tragen Sie bei Ihrem Anbieter ein'],
  setUpPicture: ['What to fill in at {provider}', 'Was bei {provider} auszufüllen ist'],
  setUpCopy: ['Copy {name}', '{name} kopieren'],
  setUpCopyIt: ['Copy', 'Kopieren'],
  setUpCopied: ['Copied', 'Kopiert'],
  setUpGiven: ['Then enter what your provider gives you', 'Dann tragen Sie ein, was Ihr Anbieter Ihnen gibt'],
  setUpName: ['Name of the connection', 'Name der Verbindung'],
  setUpNameHelp: ['Your people see it when they sign in.', 'Er ist bei der Anmeldung zu sehen.'],
  setUpIssuer: ['Issuer', 'Aussteller (Issuer)'],
  setUpClientId: ['Client ID', 'Client-ID'],
  setUpClientSecret: ['Client secret', 'Client-Geheimnis'],
  setUpSecretKept: ['Leave it empty to keep the one that you entered.', 'Leer lassen, um das eingetragene zu behalten.'],
  setUpMetadataUrl: ['Address of the metadata', 'Adresse der Metadaten'],
  setUpNeeded: ['Enter this', 'Bitte ausfüllen'],
  setUpSave: ['Save the connection', 'Verbindung speichern'],
  setUpSaved: [
    'Saved. Nobody signs in by it before {organization} looks at it and switches it on.',
    'Gespeichert. Anmelden kann sich darüber erst jemand, wenn {organization} die Verbindung geprüft und eingeschaltet hat.',
  ],
  setUpTest: ['Test the sign-in', 'Anmeldung testen'],
  setUpTestText: [
    'You sign in at your provider and come back to this page, which then shows what came and what is missing. Nobody is signed in or made by it.',
    'Sie melden sich bei Ihrem Anbieter an und kommen auf diese Seite zurück; sie zeigt dann, was kam und was fehlt. Niemand wird dadurch angemeldet oder angelegt.',
  ],
  setUpTestName: ['Name', 'Name'],
  setUpTestFirst: ['Save the connection first.', 'Speichern Sie zuerst die Verbindung.'],
  setUpTestPassed: [
    'The provider answers as it should, for an address of a proven domain.',
    'Der Anbieter antwortet wie erwartet, mit einer Adresse aus einer nachgewiesenen Domain.',
  ],
  setUpDirectory: ['Connect your directory (SCIM)', 'Verzeichnis verbinden (SCIM)'],
  setUpDirectoryText: [
    'Enter both at your directory: the address, and a token that you make here. The token does nothing until an Owner lets it.',
    'Tragen Sie beides bei Ihrem Verzeichnis ein: die Adresse und ein Token, das Sie hier erstellen. Das Token bewirkt nichts, bis ein Eigentümer es zulässt.',
  ],
  setUpBaseUrl: ['Address (base URL, tenant URL)', 'Adresse (Base URL, Tenant URL)'],
  setUpToken: ['Token', 'Token'],
  setUpMakeToken: ['Make the token', 'Token erstellen'],
  setUpTokenOnce: ['It is shown only now. It ends after a year.', 'Es wird nur jetzt angezeigt. Es läuft nach einem Jahr ab.'],
  setUpTokenMade: [
    'The token was made and shown once. If it is lost, the organization makes another one.',
    'Das Token wurde erstellt und einmal angezeigt. Ist es verloren gegangen, erstellt die Organisation ein neues.',
  ],
  setUpFinish: ['Tell the organization that you are done', 'Fertig melden'],
  setUpFinishText: [
    'The Owners of {organization} get a mail with what you have set up. The link is used up then.',
    'Die Eigentümer von {organization} bekommen eine E-Mail mit dem, was Sie eingerichtet haben. Der Link ist dann verbraucht.',
  ],
  setUpFinishButton: ['I am done', 'Ich bin fertig'],
  setUpDoneTitle: ['Thank you, that is all', 'Vielen Dank, das war alles'],
  setUpDoneText: [
    'The Owners of {organization} have been told. They switch the connection on. Leave the TXT records where they are.',
    'Die Eigentümer von {organization} wissen Bescheid. Sie schalten die Verbindung ein. Lassen Sie die TXT-Einträge stehen.',
  ],
  entraOidc1: [
    'In the Entra admin center: App registrations, New registration. Redirect URI of the type Web:',
    'Im Entra Admin Center: App-Registrierungen, Neue Registrierung. Umleitungs-URI vom Typ Web:',
  ],
  entraOidc2: [
    'Then Certificates & secrets, New client secret. The issuer is https://login.microsoftonline.com/<tenant id>/v2.0.',
    'Dann Zertifikate und Geheimnisse, Neuer geheimer Clientschlüssel. Der Aussteller ist https://login.microsoftonline.com/<Mandanten-ID>/v2.0.',
  ],
  oktaOidc1: [
    'In the Okta admin console: Applications, Create App Integration, OIDC, Web Application. Sign-in redirect URI:',
    'In der Okta-Administration: Applications, Create App Integration, OIDC, Web Application. Sign-in redirect URI:',
  ],
  oktaOidc2: [
    'Client ID and secret are on the page of the app. The issuer is the address of your Okta, like https://acme.okta.com.',
    'Client-ID und Geheimnis stehen auf der Seite der Anwendung. Der Aussteller ist die Adresse Ihres Okta, etwa https://acme.okta.com.',
  ],
  googleOidc1: [
    'In the Google Cloud console: APIs & Services, Credentials, Create OAuth client ID, Web application. Authorized redirect URI:',
    'In der Google-Cloud-Konsole: APIs & Dienste, Anmeldedaten, OAuth-Client-ID erstellen, Webanwendung. Autorisierte Weiterleitungs-URI:',
  ],
  googleOidc2: [
    'The issuer is https://accounts.google.com. Set the consent screen to Internal, so that only your people come in.',
    'Der Aussteller ist https://accounts.google.com. Stellen Sie den Zustimmungsbildschirm auf Intern, damit sich nur Personen Ihrer Organisation anmelden können.',
  ],
  otherOidc1: [
    'Register a confidential web client with this redirect URI:',
    'Registrieren Sie einen vertraulichen Web-Client mit dieser Redirect-URI:',
  ],
  otherOidc2: [
    'Its scopes are openid, email and profile. The issuer is the address whose /.well-known/openid-configuration describes the provider.',
    'Seine Scopes sind openid, email und profile. Der Aussteller ist die Adresse, deren /.well-known/openid-configuration den Anbieter beschreibt.',
  ],
  entraSaml1: [
    'In the Entra admin center: Enterprise applications, New application, Create your own, Single sign-on, SAML. Basic SAML Configuration:',
    'Im Entra Admin Center: Unternehmensanwendungen, Neue Anwendung, Eigene erstellen, Einmaliges Anmelden, SAML. Grundlegende SAML-Konfiguration:',
  ],
  entraSaml2: [
    'Then copy the App Federation Metadata Url. Under SAML Certificates, sign the assertion, too.',
    'Kopieren Sie dann die App-Verbundmetadaten-URL. Signieren Sie unter SAML-Zertifikate auch die Assertion.',
  ],
  oktaSaml1: [
    'In the Okta admin console: Applications, Create App Integration, SAML 2.0. Name ID format: Persistent or EmailAddress.',
    'In der Okta-Administration: Applications, Create App Integration, SAML 2.0. Name ID format: Persistent oder EmailAddress.',
  ],
  oktaSaml2: [
    'Then copy the Metadata URL of the tab Sign On. Add the attribute statement email with the value user.email.',
    'Kopieren Sie dann die Metadata URL im Tab Sign On. Fügen Sie das Attribut email mit dem Wert user.email hinzu.',
  ],
  googleSaml1: [
    'In the Google admin console: Apps, Web and mobile apps, Add custom SAML app. Service provider details:',
    'In der Google-Admin-Konsole: Apps, Web- und mobile Apps, Benutzerdefinierte SAML-App hinzufügen. Details zum Dienstanbieter:',
  ],
  googleSaml2: [
    'Map Primary email to the attribute email. Google gives the metadata as a file: paste it below.',
    'Ordnen Sie die primäre E-Mail dem Attribut email zu. Google gibt die Metadaten als Datei: Fügen Sie sie unten ein.',
  ],
  otherSaml1: ['Register a service provider with these two values:', 'Registrieren Sie einen Service Provider mit diesen zwei Werten:'],
  otherSaml2: [
    'The assertion itself must be signed, the NameID must not be transient, and the attribute email must be there.',
    'Die Assertion selbst muss signiert sein, die NameID darf nicht transient sein, und das Attribut email muss dabei sein.',
  ],
  setUpMetadataXml: ['Or the metadata itself (XML)', 'Oder die Metadaten selbst (XML)'],
} as const satisfies Readonly<Record<string, readonly [en: string, de: string]>>;

/** The links themselves, in the console. */
export const setUpLinkTexts = {
  setUpLinks: ['Set-up links', 'Einrichtungslinks'],
  setUpLinksText: [
    'By such a link the people who run the identity provider prove the domains and enter the connection, without an account here. Nobody signs in by what they enter before you switch it on.',
    'Über einen solchen Link können die Personen, die den Identitätsanbieter betreiben, die Domains nachweisen und die Verbindung eintragen, ohne hier ein Konto zu haben. Anmelden kann sich darüber erst jemand, wenn Sie die Verbindung einschalten.',
  ],
  makeSetUpLink: ['Make a link', 'Link erstellen'],
  setUpLinkMade: ['The link', 'Der Link'],
  setUpLinkHelp: [
    'It works in one browser, for seven days. Whoever has it first can use it: send it only to who shall set up the sign-in.',
    'Er gilt in einem Browser, sieben Tage lang. Wer ihn zuerst öffnet, kann ihn benutzen: Senden Sie ihn nur an die Person, die die Anmeldung einrichten soll.',
  ],
  setUpLinkEmail: ['Send it to', 'Senden an'],
  setUpLinkEmailHelp: [
    'An email address. Left empty, you only see the link.',
    'Eine E-Mail-Adresse. Bleibt das Feld leer, sehen nur Sie den Link.',
  ],
  setUpLinkDirectory: ['Also a token for SCIM', 'Auch ein Token für SCIM'],
  setUpLinkDirectoryHelp: [
    'The token does nothing until an Owner gives its service account the role Provisioning.',
    'Das Token bewirkt nichts, bis ein Eigentümer seinem Dienstkonto die Rolle Provisioning gibt.',
  ],
  noSetUpLinks: ['No links yet', 'Noch keine Links'],
  noSetUpLinksText: [
    'Make one for the IT of your organization, or do it yourself under Domains.',
    'Erstellen Sie einen für die IT Ihrer Organisation oder machen Sie es selbst unter Domains.',
  ],
  setUpLinkFor: ['For', 'Für'],
  setUpLinkNobody: ['Not mailed', 'Nicht versendet'],
  setUpLinkBegun: ['Begun', 'Begonnen'],
  setUpLinkExpires: ['Expires', 'Läuft ab'],
  setUpLink_open: ['Not begun', 'Nicht begonnen'],
  setUpLink_begun: ['Begun', 'Begonnen'],
  setUpLink_finished: ['Finished', 'Abgeschlossen'],
  setUpLink_revoked: ['Revoked', 'Widerrufen'],
  setUpLink_expired: ['Expired', 'Abgelaufen'],
  setUpLink_ended: ['Ended: whoever made it may not do so any more', 'Beendet: Wer ihn erstellt hat, darf das nicht mehr'],
  revokeSetUpLink: ['Revoke the link', 'Link widerrufen'],
  revokeSetUpLinkText: [
    'Whoever has begun with it goes on no further. What was set up by it stays: a connection as a draft, domains as they are.',
    'Wer damit begonnen hat, kommt nicht weiter. Was damit eingerichtet wurde, bleibt: eine Verbindung als Entwurf, Domains in ihrem jetzigen Stand.',
  ],
} as const satisfies Readonly<Record<string, readonly [en: string, de: string]>>;
