import { defineErrors } from '@tessera/kernel/errors';

/** Tenancy's own errors, beside the failures that all services share. */
export const errors = defineErrors({
  lastOwner: {
    kind: 'conflict',
    key: 'errors.organization.lastOwner',
    en: 'You are the last owner of an organization that has other members. Hand it over first.',
    de: 'Sie sind der letzte Eigentümer einer Organisation mit weiteren Mitgliedern. Bitte übergeben Sie sie zuerst.',
  },
  alreadyMember: {
    kind: 'conflict',
    key: 'errors.organizationMember.exists',
    en: 'This person is a member already.',
    de: 'Diese Person ist bereits Mitglied.',
  },
  alreadyInvited: {
    kind: 'conflict',
    key: 'errors.organizationInvitation.exists',
    en: 'This address has an open invitation already.',
    de: 'Für diese Adresse gibt es bereits eine offene Einladung.',
  },
  invitationNotPending: {
    kind: 'conflict',
    key: 'errors.organizationInvitation.notPending',
    en: 'This invitation is no longer open.',
    de: 'Diese Einladung ist nicht mehr offen.',
  },
  invitationTokenUnknown: {
    kind: 'bad-input',
    key: 'errors.organizationInvitation.tokenUnknown',
    en: 'This invitation link is not valid.',
    de: 'Dieser Einladungslink ist ungültig.',
  },
  notTheAddressee: {
    kind: 'forbidden',
    key: 'errors.organizationInvitation.notTheAddressee',
    en: 'This invitation was sent to somebody else.',
    de: 'Diese Einladung wurde an jemand anderen gesendet.',
  },
  signInFirst: {
    kind: 'forbidden',
    key: 'errors.organizationInvitation.signInFirst',
    en: 'An account was registered with this address and never confirmed. Sign in with it, choose a new password by mail, or register, and accept the invitation then.',
    de: 'Mit dieser Adresse wurde ein Konto registriert und nie bestätigt. Melden Sie sich damit an, wählen Sie per E-Mail ein neues Passwort oder registrieren Sie sich, und nehmen Sie die Einladung dann an.',
  },
  roleNotFound: {
    kind: 'not-found',
    key: 'errors.role.notFound',
    en: 'There is no such role here.',
    de: 'Diese Rolle gibt es hier nicht.',
  },
  roleAboveOwn: {
    kind: 'forbidden',
    key: 'errors.role.aboveOwn',
    en: 'You can only give roles below your own.',
    de: 'Sie können nur Rollen unterhalb Ihrer eigenen vergeben.',
  },
  tooManyRelated: {
    kind: 'validation',
    key: 'errors.relation.tooMany',
    en: 'These are too many to be listed inside another answer. Ask for them by their own list.',
    de: 'Das sind zu viele für eine eingebettete Liste. Bitte rufen Sie die eigene Liste ab.',
  },
});
