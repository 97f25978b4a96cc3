import { defineErrors } from '@tessera/kernel/errors';

export const errors = defineErrors({
  wrongCredentials: {
    kind: 'unauthenticated',
    key: 'errors.apiKey.wrongCredentials',
    en: 'This API key is not valid here: id or secret are wrong, it was revoked or has expired, or it belongs to another scope.',
    de: 'Dieser API-Schlüssel gilt hier nicht: ID oder Geheimnis ist falsch, er wurde widerrufen, ist abgelaufen oder gehört zu einem anderen Bereich.',
  },
  sessionOnly: {
    kind: 'forbidden',
    key: 'errors.apiKey.sessionOnly',
    en: 'Only a signed-in user can do this, not an API key or an app.',
    de: 'Das kann nur eine angemeldete Person, kein API-Schlüssel und keine Anwendung.',
  },
  targetAboveOwnRights: {
    kind: 'forbidden',
    key: 'errors.apiKey.targetAboveOwnRights',
    en: 'This person holds rights here that you do not hold, so you can not make a key for them.',
    de: 'Diese Person hat hier Rechte, die Sie nicht haben. Deshalb können Sie keinen Schlüssel für sie anlegen.',
  },
  tooManyKeys: {
    kind: 'quota',
    key: 'errors.apiKey.quotaExceeded',
    en: 'This account or organization may have {limit} API keys and has {used}. Delete some, or ask the operator for more.',
    de: 'Dieses Konto oder diese Organisation darf {limit} API-Schlüssel haben und hat {used}. Löschen Sie einige oder bitten Sie den Betreiber um mehr.',
  },
});
