import { defineErrors } from '@tessera/kernel/errors';

/** The errors that only this service answers. */
export const errors = defineErrors({
  builtIn: {
    kind: 'forbidden',
    key: 'errors.rbac.builtIn',
    en: 'This is built in and can not be changed. Create one of your own instead.',
    de: 'Das ist vordefiniert und lässt sich nicht ändern. Legen Sie stattdessen etwas Eigenes an.',
  },
  shared: {
    kind: 'forbidden',
    key: 'errors.rbac.shared',
    en: 'This belongs to the product, which another organization owns. Make a role or group of your own instead.',
    de: 'Das gehört zum Produkt einer anderen Organisation. Legen Sie stattdessen eine eigene Rolle oder Gruppe an.',
  },
  ownGroup: {
    kind: 'validation',
    key: 'errors.rbac.ownGroup',
    en: 'The group {group} belongs to another role, which alone has it. Make a group for both roles.',
    de: 'Die Gruppe {group} gehört zu einer anderen Rolle, die sie allein hat. Legen Sie eine Gruppe für beide Rollen an.',
  },
  grantFull: {
    kind: 'quota',
    key: 'errors.rbac.grantFull',
    en: 'At most {limit} of your members may hold a role in this product, and {used} do. Take a role from one, or ask its owner for more.',
    de: 'Höchstens {limit} Ihrer Mitglieder dürfen in diesem Produkt eine Rolle haben, {used} haben eine. Entziehen Sie jemandem die Rolle oder bitten Sie den Eigentümer des Produkts um mehr.',
  },
  aboveOwnRank: {
    kind: 'forbidden',
    key: 'errors.rbac.aboveOwnRank',
    en: 'You can only give roles below your own, and only change members below you.',
    de: 'Sie können nur Rollen unterhalb Ihrer eigenen vergeben und nur Mitglieder unter Ihnen ändern.',
  },
  noDirectoryHere: {
    kind: 'validation',
    key: 'errors.rbac.noDirectoryHere',
    en: 'A directory gives roles in its organization, and in projects that the organization uses by a grant. Name one of these scopes.',
    de: 'Ein Verzeichnis vergibt Rollen in seiner Organisation und in Projekten, die sie durch eine Freigabe nutzt. Nennen Sie einen dieser Bereiche.',
  },
  roleOfDirectory: {
    kind: 'conflict',
    key: 'errors.rbac.roleOfDirectory',
    en: 'The role {role} comes from a group of the directory. Take the person out of the group there, change which roles the group gives, or detach the member from the directory.',
    de: 'Die Rolle {role} kommt aus einer Gruppe des Verzeichnisses. Nehmen Sie die Person dort aus der Gruppe, ändern Sie, welche Rollen die Gruppe gibt, oder trennen Sie das Mitglied vom Verzeichnis.',
  },
  ownerByDirectory: {
    kind: 'validation',
    key: 'errors.rbac.ownerByDirectory',
    en: 'Owner comes from no group of a directory. Give it by hand.',
    de: 'Die Rolle Owner kommt aus keiner Gruppe eines Verzeichnisses. Vergeben Sie sie von Hand.',
  },
  roleForDirectories: {
    kind: 'validation',
    key: 'errors.rbac.roleForDirectories',
    en: 'The role Provisioning is for service accounts that a directory works with. Give people another role.',
    de: 'Die Rolle Provisioning ist für Dienstkonten, mit denen ein Verzeichnis arbeitet. Geben Sie Personen eine andere Rolle.',
  },
  escalation: {
    kind: 'forbidden',
    key: 'errors.rbac.escalation',
    en: 'You cannot give {action}: you do not hold it here yourself.',
    de: 'Sie können {action} nicht vergeben: Sie haben dieses Recht hier selbst nicht.',
  },
  lastOwner: {
    kind: 'conflict',
    key: 'errors.rbac.lastOwner',
    en: 'An organization keeps at least one Owner. Make another member Owner first.',
    de: 'Eine Organisation behält mindestens einen Eigentümer. Machen Sie zuerst ein anderes Mitglied zum Eigentümer.',
  },
  blockedOwner: {
    kind: 'conflict',
    key: 'errors.rbac.blockedOwner',
    en: 'This member is blocked. Unblock them before you make them Owner.',
    de: 'Dieses Mitglied ist gesperrt. Heben Sie die Sperre auf, bevor Sie es zum Eigentümer machen.',
  },
  onlyRole: {
    kind: 'conflict',
    key: 'errors.rbac.onlyRole',
    en: 'This is the only role of {count} members. Give them another one first.',
    de: 'Für {count} Mitglieder ist dies die einzige Rolle. Bitte geben Sie ihnen zuerst eine andere.',
  },
  onlyRoleOfServiceAccounts: {
    kind: 'conflict',
    key: 'errors.rbac.onlyRoleOfServiceAccounts',
    en: 'Only {count} service accounts hold this role, or it is all that they hold. Give them another one first, or delete them.',
    de: 'Nur {count} Dienstkonten haben diese Rolle, oder sie haben keine andere. Bitte geben Sie ihnen zuerst eine andere oder löschen Sie sie.',
  },
  notMember: {
    kind: 'not-found',
    key: 'errors.rbac.notMember',
    en: 'This user has no role here.',
    de: 'Diese Person hat hier keine Rolle.',
  },
  callCredentials: {
    kind: 'unauthenticated',
    key: 'errors.rbac.callCredentials',
    en: 'Send the access token of an API key as call credentials (authorization: Bearer). This one is missing, expired, revoked or not valid here.',
    de: 'Senden Sie das Access-Token eines API-Schlüssels mit dem Aufruf (authorization: Bearer). Dieses fehlt, ist abgelaufen, widerrufen oder gilt hier nicht.',
  },
  machineOnly: {
    kind: 'forbidden',
    key: 'errors.rbac.machineOnly',
    en: 'Decisions over gRPC are for access tokens of API keys, machine apps and service accounts; this is a {type} token, which a person lends.',
    de: 'Entscheidungen über gRPC gibt es nur mit Access-Tokens von API-Schlüsseln, Maschinen-Anwendungen und Dienstkonten; dies ist ein Token der Art {type}, das eine Person verleiht.',
  },
  outsideScope: {
    kind: 'forbidden',
    key: 'errors.rbac.outsideScope',
    en: 'This token asks within the scope of its own project or organization only.',
    de: 'Dieses Token fragt nur im Bereich seines eigenen Projekts oder seiner Organisation.',
  },
  evaluate: {
    kind: 'forbidden',
    key: 'errors.rbac.evaluate',
    en: 'To name a subject takes Decision:Evaluate here. Send the access token of the user, or give the key a role that has it.',
    de: 'Um ein Subjekt zu nennen, ist hier Decision:Evaluate nötig. Senden Sie das Access-Token der Person oder geben Sie dem Schlüssel eine Rolle, die es hat.',
  },
});
