type Names = Readonly<Record<string, readonly [en: string, de: string]>>;

/** Things as they stand in a sentence, with their article; their name follows. */
export const auditObjects: Names = {
  apiKey: ['the API key', 'den API-Schlüssel'],
  connection: ['the connection', 'die Verbindung'],
  customer: ['the customer', 'den Kunden'],
  directoryGroup: ['the group of the directory', 'die Gruppe des Verzeichnisses'],
  directoryUser: ['the person of the directory', 'die Person des Verzeichnisses'],
  domain: ['the domain', 'die Domain'],
  group: ['the group', 'die Gruppe'],
  'mail-text': ['a mail text', 'einen E-Mail-Text'],
  organization: ['the organization', 'die Organisation'],
  permission: ['the permission', 'die Berechtigung'],
  project: ['the project', 'das Projekt'],
  'project-app': ['the app', 'die Anwendung'],
  resource: ['the resource', 'die Ressource'],
  role: ['the role', 'die Rolle'],
  'second-factor': ['a second factor', 'einen zweiten Faktor'],
  'service-account': ['the service account', 'das Dienstkonto'],
  'set-up-link': ['a set-up link', 'einen Einrichtungslink'],
  tag: ['the tag', 'das Tag'],
  user: ['the person', 'die Person'],
  webhook: ['the webhook', 'den Webhook'],
};

/**
 * What happened, by the name of the action; `*` stands for every thing of `auditObjects`. {object}
 * is the thing with its article and name, {target} the name alone.
 */
export const auditSentences: Names = {
  '*.created': ['{actor} created {object}', '{actor} hat {object} angelegt'],
  '*.updated': ['{actor} changed {object}', '{actor} hat {object} geändert'],
  '*.deleted': ['{actor} deleted {object}', '{actor} hat {object} gelöscht'],
  '*.revoked': ['{actor} revoked {object}', '{actor} hat {object} widerrufen'],
  '*.tested': ['{actor} tested {object}', '{actor} hat {object} getestet'],
  '*.secret-created': ['{actor} made a secret for {object}', '{actor} hat ein Geheimnis für {object} angelegt'],
  '*.secret-deleted': ['{actor} deleted a secret of {object}', '{actor} hat ein Geheimnis für {object} gelöscht'],
  '*.credential-created': ['{actor} made a credential for {object}', '{actor} hat Zugangsdaten für {object} angelegt'],
  '*.credential-deleted': ['{actor} deleted a credential of {object}', '{actor} hat Zugangsdaten für {object} gelöscht'],

  'organizationMember.removed': ['{actor} removed {target} from {place}', '{actor} hat {target} aus {place} entfernt'],
  'organizationMember.updated': ['{actor} changed what {target} is in {place}', '{actor} hat {target} in {place} geändert'],
  'organizationMember.blocked': ['{actor} blocked {target}', '{actor} hat {target} gesperrt'],
  'organizationMember.unblocked': ['{actor} unblocked {target}', '{actor} hat {target} entsperrt'],
  'organizationMember.sessions-ended': ['{actor} signed {target} out everywhere', '{actor} hat {target} überall abgemeldet'],
  'organizationMember.password-required': ['{actor} asks {target} for a new password', '{actor} verlangt von {target} ein neues Passwort'],
  'organizationMember.detached': ['{actor} detached {target} from the directory', '{actor} hat {target} vom Verzeichnis getrennt'],
  'organizationMember.attached': [
    '{actor} gave {target} back to the directory',
    '{actor} hat {target} wieder mit dem Verzeichnis verbunden',
  ],
  'organizationInvitation.created': ['{actor} invited {target}', '{actor} hat {target} eingeladen'],
  'organizationInvitation.resent': ['{actor} sent {target} the invitation again', '{actor} hat {target} die Einladung erneut gesendet'],
  'organizationInvitation.renewed': ['{actor} renewed the invitation of {target}', '{actor} hat die Einladung von {target} verlängert'],
  'organizationInvitation.revoked': ['{actor} revoked the invitation of {target}', '{actor} hat die Einladung von {target} widerrufen'],
  'organizationInvitation.accepted': ['{actor} accepted an invitation', '{actor} hat eine Einladung angenommen'],
  'organizationInvitation.opened': ['{actor} opened an invitation', '{actor} hat eine Einladung geöffnet'],
  'connection.member-added': ['{target} became a member by single sign-on', '{target} ist durch Single Sign-on Mitglied geworden'],
  'connection.roles-mapped': [
    'What the provider says changed the roles of {target}',
    'Die Angaben des Anbieters haben die Rollen von {target} geändert',
  ],
  'connection.break-glass-used': [
    '{actor} bypassed single sign-on as an emergency Owner',
    '{actor} hat Single Sign-on als Notfall-Eigentümer umgangen',
  ],
  'domain.verified': ['{actor} proved the domain {target}', '{actor} hat die Domain {target} nachgewiesen'],
  'domain.lost': ['The domain {target} is no longer proven', 'Die Domain {target} ist nicht mehr nachgewiesen'],
  'directoryGroup.mapped': [
    '{actor} changed which roles the group {target} of the directory gives',
    '{actor} hat geändert, welche Rollen die Gruppe {target} des Verzeichnisses gibt',
  ],
  'branding.updated': ['{actor} changed the branding', '{actor} hat das Erscheinungsbild geändert'],
  'signingKey.rotated': ['{actor} rotated the signing key', '{actor} hat den Signaturschlüssel gewechselt'],
  'apiKey.exchanged': ['The API key {target} asked for a token', 'Der API-Schlüssel {target} hat ein Token angefordert'],
  'service-account.token': ['The service account {target} asked for a token', 'Das Dienstkonto {target} hat ein Token angefordert'],
  'grant.offered': ['{actor} offered the project', '{actor} hat das Projekt angeboten'],
  'grant.accepted': ['{actor} accepted the offer of a project', '{actor} hat das Angebot eines Projekts angenommen'],
  'grant.declined': ['{actor} declined the offer of a project', '{actor} hat das Angebot eines Projekts abgelehnt'],
  'grant.suspended': ['{actor} suspended a customer', '{actor} hat einen Kunden gesperrt'],
  'grant.resumed': ['{actor} ended the suspension of a customer', '{actor} hat die Sperre eines Kunden aufgehoben'],
  'grant.ended': ['{actor} ended the use of the project by a customer', '{actor} hat die Nutzung des Projekts durch einen Kunden beendet'],
  'grant.left': ['{actor} stopped using a project', '{actor} nutzt ein Projekt nicht mehr'],
  'support.requested': ['{actor} asked for support access', '{actor} hat um Support-Zugang gebeten'],
  'support.granted': ['{actor} allowed support access', '{actor} hat den Support-Zugang erlaubt'],
  'support.renewed': ['{actor} went on with support access', '{actor} hat den Support-Zugang fortgesetzt'],
  'support.started': ['{actor} began to act as {target}', '{actor} hat begonnen, als {target} zu handeln'],
  'support.ended': ['{actor} ended the support access', '{actor} hat den Support-Zugang beendet'],
  'support.consent-given': ['{actor} allowed support access in advance', '{actor} hat Support-Zugang im Voraus erlaubt'],
  'support.consent-withdrawn': ['{actor} allows support access in advance no more', '{actor} erlaubt Support-Zugang nicht mehr im Voraus'],
  'session.login': ['{actor} signed in', '{actor} hat sich angemeldet'],
  'session.logout': ['{actor} signed out', '{actor} hat sich abgemeldet'],
  'session.refresh': ['{actor} went on', '{actor} hat die Sitzung fortgesetzt'],
  'session.revoked': ['{actor} ended a session', '{actor} hat eine Sitzung beendet'],
  'oauth.login': ['{actor} signed in by a provider', '{actor} hat sich über einen Anbieter angemeldet'],
  'project-oauth.login': ['{actor} signed in to an app', '{actor} hat sich bei einer Anwendung angemeldet'],
  'user.created': ['{actor} made the person {target}', '{actor} hat die Person {target} angelegt'],
  'user.joined': ['{target} joined', '{target} ist beigetreten'],
  'user.registered': ['{target} signed up', '{target} hat sich registriert'],
  'user.updated': ['{actor} changed {target}', '{actor} hat {target} geändert'],
  'user.deleted': ['{actor} removed {target}', '{actor} hat {target} entfernt'],
  'user.email-verified': ['{actor} confirmed an email address', '{actor} hat eine E-Mail-Adresse bestätigt'],
  'user.password-changed': ['{actor} changed the password', '{actor} hat das Passwort geändert'],
  'user.password-reset': ['{actor} set a new password', '{actor} hat ein neues Passwort gesetzt'],
  'user.password-reset-requested': ['{actor} asked to set a new password', '{actor} hat das Zurücksetzen des Passworts angefordert'],
  'user.data-exported': ['{actor} exported the data of {target}', '{actor} hat die Daten von {target} exportiert'],
  'authentication-method.created': ['{actor} added a way to sign in', '{actor} hat eine Anmeldemethode hinzugefügt'],
  'authentication-method.deleted': ['{actor} removed a way to sign in', '{actor} hat eine Anmeldemethode entfernt'],
  'second-factor.confirmed': ['{actor} proved a second factor', '{actor} hat einen zweiten Faktor bestätigt'],
  'second-factor.enrolled': ['{actor} set up a second factor', '{actor} hat einen zweiten Faktor eingerichtet'],
  'recovery-codes.renewed': ['{actor} made new recovery codes', '{actor} hat neue Wiederherstellungscodes erzeugt'],
  'webhook.disabled': ['Tessera switched off the webhook {target}', 'Tessera hat den Webhook {target} abgeschaltet'],
  'webhook.replayed': ['{actor} sent a delivery of {object} again', '{actor} hat eine Zustellung für {object} erneut gesendet'],
  'user.blocked': ['{actor} blocked {target}', '{actor} hat {target} gesperrt'],
  'user.unblocked': ['{actor} unblocked {target}', '{actor} hat {target} entsperrt'],
  'tenant.suspended': ['{actor} suspended {place}', '{actor} hat die Nutzung von {place} gesperrt'],
  'tenant.resumed': ['{actor} ended the suspension of {place}', '{actor} hat die Sperre von {place} aufgehoben'],
  'tenant.quotas-changed': ['{actor} changed the limits of {place}', '{actor} hat die Limits von {place} geändert'],
  'platform.audit-log-read': ['{actor} read the audit log as an operator', '{actor} hat das Audit-Log als Betreiber gelesen'],
};

/** What people did to themselves. */
export const auditOfSelf: Names = {
  'organizationMember.removed': ['{actor} left {place}', '{actor} ist aus {place} ausgetreten'],
  'user.updated': ['{actor} changed their own profile', '{actor} hat das eigene Profil geändert'],
  'user.data-exported': ['{actor} exported their own data', '{actor} hat die eigenen Daten exportiert'],
  'user.deleted': ['{actor} deleted their own account', '{actor} hat das eigene Konto gelöscht'],
};

/** For what was refused or failed, and for actions without a sentence: what was tried follows. */
export const auditTried = ['{actor} tried: {action}', '{actor} hat versucht: {action}'] as const;
export const auditDid = ['{actor}: {action}', '{actor}: {action}'] as const;
/** A supporter who acts as a person of a customer. */
export const auditActingAs = ['{supporter} (acting as {actor})', '{supporter} (handelnd als {actor})'] as const;
/** Someone whose name is not known here any more, by the beginning of the id. */
export const auditNobody = ['someone', 'jemand'] as const;
export const auditThisPlace = ['this place', 'diesem Bereich'] as const;
