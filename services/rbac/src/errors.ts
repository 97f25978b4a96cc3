import { defineErrors } from '@tessera/kernel/errors';

/** The errors that only this service answers. */
export const errors = defineErrors({
  builtIn: {
    kind: 'forbidden',
    key: 'errors.rbac.builtIn',
    en: 'What is built in cannot be changed.',
    de: 'Eingebautes lässt sich nicht ändern.',
  },
  aboveOwnRank: {
    kind: 'forbidden',
    key: 'errors.rbac.aboveOwnRank',
    en: 'You can only give roles below your own, and only change members below you.',
    de: 'Sie können nur Rollen unterhalb Ihrer eigenen vergeben und nur Mitglieder unter Ihnen ändern.',
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
    en: 'An organization keeps at least one Owner.',
    de: 'Eine Organisation behält mindestens einen Eigentümer.',
  },
  notMember: {
    kind: 'not-found',
    key: 'errors.rbac.notMember',
    en: 'This user has no role here.',
    de: 'Dieser Benutzer hat hier keine Rolle.',
  },
});
