import { defineErrors } from './define.ts';
import type { AppError, ErrorKind } from './error.ts';
import type { Text } from './texts.ts';

function define(kind: ErrorKind, key: `errors.${string}`, en: string, de: string) {
  return { kind, key, en, de };
}

/** The failures that every service shares. */
const common = defineErrors({
  badInput: define('bad-input', 'errors.badInput', 'The request could not be read.', 'Die Anfrage konnte nicht gelesen werden.'),
  invalidJson: define('bad-input', 'errors.invalidJson', 'The body is not valid JSON.', 'Der Inhalt ist kein gültiges JSON.'),
  validation: define(
    'validation',
    'errors.validation',
    'The field {field} is not valid: {reason}.',
    'Das Feld {field} ist ungültig: {reason}.',
  ),
  unauthenticated: define('unauthenticated', 'errors.unauthenticated', 'Sign in to do this.', 'Bitte melden Sie sich an.'),
  forbidden: define(
    'forbidden',
    'errors.forbidden',
    'You do not have the right to do this here. An owner or admin can give it to you.',
    'Sie haben hier nicht das Recht dazu. Ein Eigentümer oder Admin kann es Ihnen geben.',
  ),
  unverified: define(
    'unverified',
    'errors.emailVerificationRequired',
    'Confirm your email address first. The link is in your mailbox; you can have it sent again.',
    'Bestätigen Sie zuerst Ihre E-Mail-Adresse. Der Link ist in Ihrem Postfach; Sie können ihn erneut senden lassen.',
  ),
  secondFactorRequired: define(
    'second-factor',
    'errors.secondFactorRequired',
    'This needs a sign-in with a second factor. Confirm it, or set one up in your security settings.',
    'Dafür ist eine Anmeldung mit zweitem Faktor nötig. Bestätigen Sie ihn oder richten Sie einen in Ihren Sicherheitseinstellungen ein.',
  ),
  freshSignInRequired: define(
    'stale-sign-in',
    'errors.freshSignInRequired',
    'Confirm that it is you: your sign-in was too long ago for this.',
    'Bestätigen Sie, dass Sie es sind: Ihre Anmeldung liegt dafür zu lange zurück.',
  ),
  notFound: define('not-found', 'errors.notFound', '{resource} not found.', '{resource} wurde nicht gefunden.'),
  routeNotFound: define('not-found', 'errors.routeNotFound', 'There is nothing at this address.', 'Unter dieser Adresse gibt es nichts.'),
  conflict: define(
    'conflict',
    'errors.conflict',
    '{resource} with this {field} exists already.',
    '{resource} mit diesem Wert für {field} gibt es bereits.',
  ),
  answerTooLarge: define(
    'bad-input',
    'errors.answerTooLarge',
    'The answer would be too large. Ask for less at once.',
    'Die Antwort wäre zu groß. Fragen Sie weniger auf einmal ab.',
  ),
  tooLarge: define('too-large', 'errors.tooLarge', 'The request is too large.', 'Die Anfrage ist zu groß.'),
  unsupportedMediaType: define(
    'unsupported-media-type',
    'errors.unsupportedMediaType',
    'Send the body as application/json.',
    'Bitte senden Sie den Inhalt als application/json.',
  ),
  rateLimited: define(
    'rate-limited',
    'errors.rateLimitExceeded',
    'Too many requests. Try again in {seconds} seconds.',
    'Zu viele Anfragen. Versuchen Sie es in {seconds} Sekunden erneut.',
  ),
  internal: define(
    'internal',
    'errors.internal',
    'Something went wrong on our side. Try again in a moment.',
    'Bei uns ist ein Fehler aufgetreten. Versuchen Sie es gleich noch einmal.',
  ),
  badGateway: define(
    'bad-gateway',
    'errors.badGateway',
    'The service {service} gave no valid answer.',
    'Der Dienst {service} hat nicht gültig geantwortet.',
  ),
  unavailable: define(
    'unavailable',
    'errors.serviceUnavailable',
    'The service {service} is not available. Try again shortly.',
    'Der Dienst {service} ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  ),
  timeout: define('timeout', 'errors.timeout', 'The service {service} took too long.', 'Der Dienst {service} hat zu lange gebraucht.'),
});

/** The failures that all services share, as functions of their parameters. */
export const failures = {
  ...common,
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
