import { defineErrors } from '@tessera/kernel/errors';

/** What the flows of apps refuse. */
export const errors = defineErrors({
  invalidState: {
    kind: 'bad-input',
    key: 'errors.oauth.invalidState',
    en: 'This sign-in was not begun here, is over, or took too long. Begin again.',
    de: 'Diese Anmeldung wurde nicht hier begonnen, ist beendet oder hat zu lange gedauert. Bitte beginnen Sie neu.',
  },
  freshSignIn: {
    kind: 'forbidden',
    key: 'errors.openid.freshSignIn',
    en: 'The app asks you to sign in again, although you are signed in.',
    de: 'Die Anwendung verlangt, dass Sie sich noch einmal anmelden, obwohl Sie angemeldet sind.',
  },
  agentEndedByOrganization: {
    kind: 'forbidden',
    key: 'errors.agent.endedByOrganization',
    en: 'An administrator of your organization has ended this app for you. Ask them to allow it again.',
    de: 'Ein Administrator Ihrer Organisation hat diese Anwendung für Sie beendet. Bitten Sie darum, sie wieder zu erlauben.',
  },
  redirectNotAllowed: {
    kind: 'bad-input',
    key: 'errors.oauth.redirectNotAllowed',
    en: 'The app has not registered the address to which it wants to send you back. Tell the people who run it.',
    de: 'Die Anwendung hat die Adresse nicht registriert, zu der sie Sie zurückschicken will. Wenden Sie sich an ihren Betreiber.',
  },
  providerNotAllowed: {
    kind: 'bad-input',
    key: 'errors.oauth.providerNotAllowed',
    en: 'The app does not allow this way to sign in. Choose another.',
    de: 'Die Anwendung erlaubt diese Art der Anmeldung nicht. Wählen Sie eine andere.',
  },
});
