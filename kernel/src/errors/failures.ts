import { defineErrors } from './define.ts';
import { type AppError, type ErrorKind, kinds } from './error.ts';
import type { Text } from './texts.ts';

function define(kind: ErrorKind, key: `errors.${string}`, texts: Text) {
  return { kind, key, ...texts };
}

/** The failures that every service shares. */
const common = defineErrors({
  badInput: define('bad-input', 'errors.badInput', {
    en: 'The request could not be read.',
    de: 'Die Anfrage konnte nicht gelesen werden.',
  }),
  invalidJson: define('bad-input', 'errors.invalidJson', { en: 'The body is not valid JSON.', de: 'Der Inhalt ist kein gültiges JSON.' }),
  validation: define('validation', 'errors.validation', {
    en: 'The field {field} {reason}.',
    de: 'Das Feld {field} {reason}.',
  }),
  unauthenticated: define('unauthenticated', 'errors.unauthenticated', { en: 'Sign in to do this.', de: 'Bitte melden Sie sich an.' }),
  proofRequired: define('unauthenticated', 'errors.proofRequired', {
    en: 'This token is bound to a key: send it with the scheme DPoP and a new proof for each request.',
    de: 'Dieses Token ist an einen Schlüssel gebunden: Senden Sie es mit dem Schema DPoP und einem neuen Nachweis je Anfrage.',
  }),
  forbidden: define('forbidden', 'errors.forbidden', {
    en: 'You do not have the right to do this here. An owner or admin can give it to you.',
    de: 'Dazu fehlt Ihnen hier das Recht. Ein Eigentümer oder Admin kann es Ihnen geben.',
  }),
  unverified: define('unverified', 'errors.emailVerificationRequired', {
    en: 'Confirm your email address first. The link is in your mailbox; you can have it sent again.',
    de: 'Bestätigen Sie zuerst Ihre E-Mail-Adresse. Der Link ist in Ihrem Postfach; Sie können ihn erneut senden lassen.',
  }),
  secondFactorRequired: define('second-factor', 'errors.secondFactorRequired', {
    en: 'This needs a sign-in with a second factor. Confirm it, or set one up in your security settings.',
    de: 'Dafür ist eine Anmeldung mit zweitem Faktor nötig. Bestätigen Sie ihn oder richten Sie einen in Ihren Sicherheitseinstellungen ein.',
  }),
  freshSignInRequired: define('stale-sign-in', 'errors.freshSignInRequired', {
    en: 'Confirm that it is you: your sign-in was too long ago for this.',
    de: 'Bestätigen Sie, dass Sie es sind: Ihre Anmeldung liegt dafür zu lange zurück.',
  }),
  newPasswordRequired: define('new-password', 'errors.newPasswordRequired', {
    en: 'This organization asks you for a new password. Change it in your security settings, then go on.',
    de: 'Diese Organisation verlangt ein neues Passwort von Ihnen. Ändern Sie es in Ihren Sicherheitseinstellungen, dann geht es weiter.',
  }),
  notElevated: define('forbidden', 'errors.notElevated', {
    en: 'This needs a person who has just signed in. A service account may do it when an Owner or Admin names it in its elevated operations.',
    de: 'Dafür muss sich eine Person gerade neu angemeldet haben. Ein Dienstkonto darf es, wenn ein Eigentümer oder Admin es unter den Vorgängen nennt, die eine neue Anmeldung erfordern.',
  }),
  delegated: define('forbidden', 'errors.delegated', {
    en: 'An app that acts for a person by a token that it exchanged cannot do this: it gives or makes something that acts later. Do it signed in as the person.',
    de: 'Eine Anwendung, die mit einem getauschten Token für eine Person handelt, darf das nicht: Dabei entsteht etwas, das später selbst handelt. Melden Sie sich als Person an und tun Sie es dann.',
  }),
  supportForbidden: define('forbidden', 'errors.supportForbidden', {
    en: 'You act as somebody else, for support. This is kept for the person, or lies outside what you were let into.',
    de: 'Sie handeln für den Support als jemand anderes. Dies ist der Person selbst vorbehalten oder liegt außerhalb dessen, wozu Sie Zugang haben.',
  }),
  supportReadsOnly: define('forbidden', 'errors.supportReadsOnly', {
    en: 'You act as somebody else, for support, and the organization has allowed reading only.',
    de: 'Sie handeln für den Support als jemand anderes, und die Organisation hat nur das Lesen erlaubt.',
  }),
  supportNoExport: define('forbidden', 'errors.supportNoExport', {
    en: 'You act as somebody else, for support, and the organization has not allowed exports.',
    de: 'Sie handeln für den Support als jemand anderes, und die Organisation hat keine Exporte erlaubt.',
  }),
  networkNotAllowed: define('forbidden', 'errors.networkNotAllowed', {
    en: 'This service account may not be used from this address. Its allowed networks can be changed by an Owner or Admin.',
    de: 'Dieses Dienstkonto darf von dieser Adresse aus nicht verwendet werden. Ein Eigentümer oder Admin kann seine erlaubten Netze ändern.',
  }),
  addressNotHeld: define('address-not-held', 'errors.addressNotHeld', {
    en: 'Show first that your email address and this account belong together: have a code sent to the address and enter it here.',
    de: 'Weisen Sie zuerst nach, dass Ihre E-Mail-Adresse und dieses Konto zusammengehören: Lassen Sie sich einen Code an die Adresse senden und geben Sie ihn hier ein.',
  }),
  connectionRequired: define('connection', 'errors.connectionRequired', {
    en: 'This organization lets its members in by its own identity provider only. Sign in there, then go on.',
    de: 'Diese Organisation lässt ihre Mitglieder nur über ihren eigenen Identitätsanbieter herein. Melden Sie sich dort an, dann geht es weiter.',
  }),
  tenantSuspended: define('suspended', 'errors.tenantSuspended', {
    en: 'The operator of this installation has suspended this account or organization. Ask them what to do.',
    de: 'Der Betreiber dieser Installation hat dieses Konto oder diese Organisation gesperrt. Bitte wenden Sie sich an ihn.',
  }),
  grantSuspended: define('forbidden', 'errors.grantSuspended', {
    en: 'The owner of this product has suspended its use by your organization. Ask them what to do.',
    de: 'Der Eigentümer dieses Produkts hat die Nutzung durch Ihre Organisation gesperrt. Bitte wenden Sie sich an ihn.',
  }),
  grantEnded: define('forbidden', 'errors.grantEnded', {
    en: 'Your organization does not use this product any more.',
    de: 'Ihre Organisation nutzt dieses Produkt nicht mehr.',
  }),
  notFound: define('not-found', 'errors.notFound', { en: '{resource} not found.', de: '{resource} wurde nicht gefunden.' }),
  routeNotFound: define('not-found', 'errors.routeNotFound', {
    en: 'There is nothing at this address.',
    de: 'Unter dieser Adresse gibt es nichts.',
  }),
  conflict: define('conflict', 'errors.conflict', {
    en: '{resource} with this {field} exists already.',
    de: '{resource} mit diesem Wert für {field} gibt es bereits.',
  }),
  changedMeanwhile: define('changed', 'errors.changedMeanwhile', {
    en: 'This has changed since you read it. Read it again, then decide.',
    de: 'Dies wurde geändert, seit Sie es gelesen haben. Lesen Sie es erneut und entscheiden Sie dann.',
  }),
  answerTooLarge: define('bad-input', 'errors.answerTooLarge', {
    en: 'The answer would be too large. Ask for less at once.',
    de: 'Die Antwort wäre zu groß. Fragen Sie weniger auf einmal ab.',
  }),
  tooLarge: define('too-large', 'errors.tooLarge', { en: 'The request is too large.', de: 'Die Anfrage ist zu groß.' }),
  unsupportedMediaType: define('unsupported-media-type', 'errors.unsupportedMediaType', {
    en: 'Send the body as application/json.',
    de: 'Bitte senden Sie den Inhalt als application/json.',
  }),
  rateLimited: define('rate-limited', 'errors.rateLimitExceeded', {
    en: 'Too many requests. Try again in {seconds} seconds.',
    de: 'Zu viele Anfragen. Versuchen Sie es in {seconds} Sekunden erneut.',
  }),
  internal: define('internal', 'errors.internal', {
    en: 'Something went wrong on our side. Try again in a moment.',
    de: 'Bei uns ist ein Fehler aufgetreten. Versuchen Sie es gleich noch einmal.',
  }),
  badGateway: define('bad-gateway', 'errors.badGateway', {
    en: 'The service {service} gave no valid answer.',
    de: 'Der Dienst {service} hat keine gültige Antwort gegeben.',
  }),
  unavailable: define('unavailable', 'errors.serviceUnavailable', {
    en: 'The service {service} is not available. Try again shortly.',
    de: 'Der Dienst {service} ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  }),
  timeout: define('timeout', 'errors.timeout', {
    en: 'The service {service} took too long.',
    de: 'Der Dienst {service} hat zu lange gebraucht.',
  }),
});

const demands = [common.secondFactorRequired, common.freshSignInRequired, common.newPasswordRequired, common.tenantSuspended];

/** Of a decision: why it does not authorize, and by which connection the subject has to come. */
type Refused = { readonly reason?: string; readonly connectionId?: string };

/** The failures that all services share, as functions of their parameters. */
export const failures = {
  ...common,
  proofRequired: (): AppError => common.proofRequired({ extensions: { reason: 'proof_required' } }),
  notElevated: (): AppError => common.notElevated({ extensions: { reason: 'not_elevated' } }),
  delegated: (): AppError => common.delegated({ extensions: { reason: 'delegated' } }),
  supportForbidden: (): AppError => common.supportForbidden({ extensions: { reason: 'support' } }),
  supportReadsOnly: (): AppError => common.supportReadsOnly({ extensions: { reason: 'support_reads_only' } }),
  supportNoExport: (): AppError => common.supportNoExport({ extensions: { reason: 'support_no_export' } }),
  networkNotAllowed: (): AppError => common.networkNotAllowed({ extensions: { reason: 'network_not_allowed' } }),
  /** What a decision demands: the failure whose code is the reason why it does not authorize. */
  demanded: ({ reason, connectionId = '' }: Refused = {}): AppError | undefined => {
    if (reason === 'CONNECTION_REQUIRED') return common.connectionRequired({ extensions: { connectionId } });
    if (reason === 'GRANT_SUSPENDED') return common.grantSuspended({ extensions: { reason: 'grant_suspended' } });
    if (reason === 'GRANT_ENDED') return common.grantEnded({ extensions: { reason: 'grant_ended' } });
    return demands.map((fail) => fail()).find(({ kind }) => kinds[kind].code === reason);
  },
  validation: (field: string, reason: Text): AppError => common.validation({ params: { field, reason }, extensions: { field, reason } }),
  notFound: (resource: string): AppError => common.notFound({ params: { resource }, extensions: { resource } }),
  conflict: (resource: string, field: string): AppError =>
    common.conflict({ params: { resource, field }, extensions: { resource, field } }),
  rateLimited: (seconds: number): AppError => common.rateLimited({ params: { seconds } }),
  badGateway: (service: string, cause?: unknown): AppError => common.badGateway({ params: { service }, cause }),
  unavailable: (service: string, cause?: unknown): AppError => common.unavailable({ params: { service }, cause }),
  timeout: (service: string, cause?: unknown): AppError => common.timeout({ params: { service }, cause }),
} as const;

/** Reasons of `failures.validation` that several places give. */
export const reasons = {
  required: { en: 'is required', de: 'wird benötigt' },
  unknownInQuery: { en: 'is not known in the query', de: 'ist in der Abfrage nicht bekannt' },
  repeated: { en: 'is given more than once', de: 'ist mehr als einmal angegeben' },
  oneOf: (names: readonly string[]): Text => ({ en: `must be one of ${names.join(', ')}`, de: `muss eines von ${names.join(', ')} sein` }),
} as const;
