import { defineErrors } from './define.ts';
import type { AppError } from './error.ts';
import type { Text } from './texts.ts';

/** The failures that every service shares. */
const common = defineErrors({
  badInput: {
    kind: 'bad-input',
    key: 'errors.badInput',
    en: 'The request could not be read.',
    de: 'Die Anfrage konnte nicht gelesen werden.',
  },
  invalidJson: {
    kind: 'bad-input',
    key: 'errors.invalidJson',
    en: 'The body is not valid JSON.',
    de: 'Der Inhalt ist kein gültiges JSON.',
  },
  validation: {
    kind: 'validation',
    key: 'errors.validation',
    en: 'The field {field} is not valid: {reason}.',
    de: 'Das Feld {field} ist ungültig: {reason}.',
  },
  unauthenticated: { kind: 'unauthenticated', key: 'errors.unauthenticated', en: 'Sign in to do this.', de: 'Bitte melden Sie sich an.' },
  forbidden: {
    kind: 'forbidden',
    key: 'errors.forbidden',
    en: 'You do not have the right to do this here. An owner or admin can give it to you.',
    de: 'Sie haben hier nicht das Recht dazu. Ein Eigentümer oder Admin kann es Ihnen geben.',
  },
  unverified: {
    kind: 'unverified',
    key: 'errors.emailVerificationRequired',
    en: 'Confirm your email address first. The link is in your mailbox; you can have it sent again.',
    de: 'Bestätigen Sie zuerst Ihre E-Mail-Adresse. Der Link ist in Ihrem Postfach; Sie können ihn erneut senden lassen.',
  },
  notFound: { kind: 'not-found', key: 'errors.notFound', en: '{resource} not found.', de: '{resource} wurde nicht gefunden.' },
  routeNotFound: {
    kind: 'not-found',
    key: 'errors.routeNotFound',
    en: 'There is nothing at this address.',
    de: 'Unter dieser Adresse gibt es nichts.',
  },
  conflict: {
    kind: 'conflict',
    key: 'errors.conflict',
    en: '{resource} with this {field} exists already.',
    de: '{resource} mit diesem Wert für {field} gibt es bereits.',
  },
  answerTooLarge: {
    kind: 'bad-input',
    key: 'errors.answerTooLarge',
    en: 'The answer would be too large. Ask for less at once.',
    de: 'Die Antwort wäre zu groß. Fragen Sie weniger auf einmal ab.',
  },
  tooLarge: { kind: 'too-large', key: 'errors.tooLarge', en: 'The request is too large.', de: 'Die Anfrage ist zu groß.' },
  unsupportedMediaType: {
    kind: 'unsupported-media-type',
    key: 'errors.unsupportedMediaType',
    en: 'Send the body as application/json.',
    de: 'Bitte senden Sie den Inhalt als application/json.',
  },
  rateLimited: {
    kind: 'rate-limited',
    key: 'errors.rateLimitExceeded',
    en: 'Too many requests. Try again in {seconds} seconds.',
    de: 'Zu viele Anfragen. Versuchen Sie es in {seconds} Sekunden erneut.',
  },
  internal: {
    kind: 'internal',
    key: 'errors.internal',
    en: 'Something went wrong on our side. Try again in a moment.',
    de: 'Bei uns ist ein Fehler aufgetreten. Versuchen Sie es gleich noch einmal.',
  },
  badGateway: {
    kind: 'bad-gateway',
    key: 'errors.badGateway',
    en: 'The service {service} gave no valid answer.',
    de: 'Der Dienst {service} hat nicht gültig geantwortet.',
  },
  unavailable: {
    kind: 'unavailable',
    key: 'errors.serviceUnavailable',
    en: 'The service {service} is not available. Try again shortly.',
    de: 'Der Dienst {service} ist nicht erreichbar. Versuchen Sie es gleich noch einmal.',
  },
  timeout: {
    kind: 'timeout',
    key: 'errors.timeout',
    en: 'The service {service} took too long.',
    de: 'Der Dienst {service} hat zu lange gebraucht.',
  },
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
