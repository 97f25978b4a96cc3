import { strict } from '@tessera/kernel/operation';
import { findMailText } from '../../../mail/storage/mail-texts.ts';
import { operation } from '../../deps.ts';
import { MailText, mailTextScopes, placeFields, textPlaceOf, toMailText } from './mail-text.ts';

export const getMailText = operation({
  name: 'getMailText',
  summary: 'The text of a mail in the name of an organization, its own or the standard one, and the variables that it may contain',
  kind: 'query',
  input: strict(placeFields),
  output: MailText,
  access: { permission: 'Branding:Query' },
  scopes: mailTextScopes,
  verification: 'by-scope',
  isolation: { none: 'one query of the organization that was authorized' },
  errors: [],
  audit: { none: 'reading' },
  events: [],
  rest: { method: 'GET', path: '/api/mail-texts/:template/:language' },
  graphql: { field: 'mailText', type: 'MailText' },
  example: { input: { template: 'verify-email', language: 'en' } },
  handle: async (input, context) => toMailText(input, await findMailText(context.deps.database, textPlaceOf(input, context))),
});
