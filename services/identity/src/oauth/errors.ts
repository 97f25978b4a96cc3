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
    de: 'Ein Administrator Ihrer Organisation hat diese Anwendung für Sie beendet. Bitten Sie ihn, sie wieder zu erlauben.',
  },
  supportOfOneself: {
    kind: 'forbidden',
    key: 'errors.support.ofOneself',
    en: 'You need no access to your own account.',
    de: 'Für Ihr eigenes Konto brauchen Sie keinen Zugang.',
  },
  supportAbove: {
    kind: 'forbidden',
    key: 'errors.support.above',
    en: 'Nobody acts as an operator of this installation, and only an Owner of the product’s organization as an Owner.',
    de: 'Niemand darf als Betreiber dieser Installation handeln, und als Eigentümer nur ein Eigentümer der Organisation, der das Produkt gehört.',
  },
  supportByOneself: {
    kind: 'forbidden',
    key: 'errors.support.byOneself',
    en: 'You asked for this yourself. Somebody else has to allow it.',
    de: 'Sie haben dies selbst angefragt. Jemand anderes muss es erlauben.',
  },
  supportNotOpen: {
    kind: 'conflict',
    key: 'errors.support.notOpen',
    en: 'This access was refused, has ended, was used in another session, or was decided already.',
    de: 'Dieser Zugang wurde abgelehnt, ist beendet, gehört zu einer anderen Sitzung, oder es wurde bereits darüber entschieden.',
  },
  supportRequestedAlready: {
    kind: 'conflict',
    key: 'errors.support.requestedAlready',
    en: 'You have asked to act as this person already, and it has not ended.',
    de: 'Sie haben bereits angefragt, als diese Person zu handeln, und es ist noch nicht beendet.',
  },
  tooManySupportRequests: {
    kind: 'conflict',
    key: 'errors.support.tooMany',
    en: 'You have five open requests in this organization. End one of them first.',
    de: 'Sie haben fünf offene Anfragen in dieser Organisation. Beenden Sie zuerst eine davon.',
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
