/** The start of the console: English, German. */
export const homeTexts = {
  hello: ['Hello {name}', 'Hallo {name}'],
  verifyBanner: [
    'Confirm your address {email} to create organizations and projects. The link is in your mailbox.',
    'Bestätigen Sie Ihre Adresse {email}, um Organisationen und Projekte anzulegen. Der Link ist in Ihrem Postfach.',
  ],
  organizations: ['Organizations', 'Organisationen'],
  projects: ['Projects', 'Projekte'],
  sessions: ['Where you are signed in', 'Wo Sie angemeldet sind'],
  noOrganizations: ['You are in no organization yet.', 'Sie gehören noch zu keiner Organisation.'],
  noProjects: ['There is no project yet.', 'Es gibt noch kein Projekt.'],
  newOrganization: ['Name of a new organization', 'Name einer neuen Organisation'],
  newProject: ['Name of a new project', 'Name eines neuen Projekts'],
  create: ['Create', 'Anlegen'],
  thisDevice: ['This device', 'Dieses Gerät'],
  lastUsed: ['last used {when}', 'zuletzt {when}'],
  endSession: ['Sign out there', 'Dort abmelden'],
  more: ['Show more', 'Mehr anzeigen'],
  apiDocs: ['API documentation', 'API-Dokumentation'],
  developers: ['For developers', 'Für Entwickler'],
  developersText: ['Everything here is also in the API, and more.', 'Alles, was Sie hier sehen, geht auch über die API, und noch mehr.'],
} as const satisfies Record<string, readonly [string, string]>;
