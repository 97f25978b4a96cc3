import { defineErrors } from '@tessera/kernel/errors';

export const errors = defineErrors({
  wrongCredentials: {
    kind: 'unauthenticated',
    key: 'errors.apiKey.wrongCredentials',
    en: 'These API key credentials are not valid here.',
    de: 'Diese API-Key-Zugangsdaten sind hier nicht gültig.',
  },
  sessionOnly: {
    kind: 'forbidden',
    key: 'errors.apiKey.sessionOnly',
    en: 'Only a signed-in user can do this, not an API key or an app.',
    de: 'Das kann nur eine angemeldete Person, kein API-Key und keine App.',
  },
  targetAboveOwnRights: {
    kind: 'forbidden',
    key: 'errors.apiKey.targetAboveOwnRights',
    en: 'This user may do things here that you may not give.',
    de: 'Diese Person hat hier Rechte, die Sie nicht vergeben dürfen.',
  },
});
