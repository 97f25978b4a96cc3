type Names = Readonly<Record<string, readonly [en: string, de: string]>>;

/** The resources that are built in: English, German. */
export const builtInResources: Names = {
  User: ['People', 'Personen'],
  Account: ['Accounts', 'Konten'],
  Organization: ['The organization', 'Die Organisation'],
  Project: ['Projects', 'Projekte'],
  ProjectApp: ['Apps', 'Anwendungen'],
  Resource: ['Resources', 'Ressourcen'],
  Role: ['Roles', 'Rollen'],
  Group: ['Groups', 'Gruppen'],
  Permission: ['Permissions', 'Berechtigungen'],
  Tag: ['Tags', 'Tags'],
  ApiKey: ['API keys', 'API-Schlüssel'],
  OrganizationMember: ['Members', 'Mitglieder'],
  OrganizationInvitation: ['Invitations', 'Einladungen'],
  ProjectUser: ['People of projects', 'Personen von Projekten'],
  UserSession: ['Sessions of people', 'Sitzungen von Personen'],
  UserAuthenticationMethod: ['Ways to sign in', 'Anmeldemethoden'],
  SigningKey: ['Signing keys', 'Signaturschlüssel'],
  Decision: ['Decisions', 'Entscheidungen'],
  AuditEvent: ['Audit log', 'Audit-Log'],
  Webhook: ['Webhooks', 'Webhooks'],
  ProjectGrant: ['Customers and their offers', 'Kunden und ihre Angebote'],
  ServiceAccount: ['Service accounts', 'Dienstkonten'],
  Domain: ['Domains', 'Domains'],
  Branding: ['Branding', 'Erscheinungsbild'],
  Connection: ['Single sign-on', 'Single Sign-on'],
  Directory: ['Directory', 'Verzeichnis'],
  SupportAccess: ['Support access', 'Support-Zugang'],
};

/** What can be done with them. */
export const builtInActions: Names = {
  Create: ['create', 'anlegen'],
  Read: ['see', 'sehen'],
  Update: ['change', 'ändern'],
  Delete: ['delete', 'löschen'],
  Query: ['list', 'auflisten'],
  ExportData: ['export their data', 'ihre Daten exportieren'],
  UploadPicture: ['upload a picture', 'ein Bild hochladen'],
  Revoke: ['revoke', 'widerrufen'],
  Exchange: ['exchange for a token', 'gegen ein Token tauschen'],
  Remove: ['remove', 'entfernen'],
  ResendEmail: ['send the mail again', 'die E-Mail erneut senden'],
  Renew: ['renew', 'verlängern'],
  Rotate: ['rotate', 'wechseln'],
  Evaluate: ['ask about others', 'für andere abfragen'],
  Export: ['export', 'exportieren'],
  Provision: ['keep members as the directory has them', 'Mitglieder mit dem Verzeichnis abgleichen'],
  Use: ['act as a person of a customer', 'als Person eines Kunden handeln'],
  Grant: ['allow', 'erlauben'],
};

/** What the built-in roles of an organization are for. */
export const builtInRoles: Names = {
  Owner: [
    'May do everything, and alone ends the organization and makes Owners.',
    'Darf alles. Nur Eigentümer können die Organisation löschen und weitere Eigentümer ernennen.',
  ],
  Admin: [
    'Manages members, settings, projects and apps; does not end the organization.',
    'Verwaltet Mitglieder, Einstellungen, Projekte und Anwendungen; kann die Organisation nicht löschen.',
  ],
  Dev: [
    'Builds: projects, resources, roles, apps and keys. Changes no members and no settings.',
    'Entwickelt: Projekte, Ressourcen, Rollen, Anwendungen und Schlüssel. Ändert weder Mitglieder noch Einstellungen.',
  ],
  Viewer: ['Looks, and changes nothing.', 'Darf alles ansehen, aber nichts ändern.'],
  Provisioning: [
    'For a directory that keeps the members in step by SCIM, and nothing else.',
    'Für ein Verzeichnis, das die Mitglieder über SCIM pflegt, und für nichts sonst.',
  ],
};
