import { strict } from '@tessera/kernel/operation';
import { deleteMailText as deleteRow } from '../../../mail/storage/mail-texts.ts';
import { operation } from '../../deps.ts';
import { MailText, mailTextScopes, placeFields, textPlaceOf, toMailText } from './mail-text.ts';

export const deleteMailText = operation({
  name: 'deleteMailText',
  summary: 'Return to the standard text of a mail',
  kind: 'mutation',
  input: strict(placeFields),
  output: MailText,
  access: { permission: 'Branding:Update' },
  scopes: mailTextScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: [],
  audit: 'mail-text.deleted',
  events: [],
  leaves: 'nothing',
  rest: { method: 'DELETE', path: '/api/mail-texts/:template/:language' },
  graphql: { field: 'deleteMailText', type: 'MailText' },
  example: { input: { template: 'verify-email', language: 'en' } },

  async handle(input, context) {
    const { template, language } = input;
    const place = textPlaceOf(input, context);
    const before = await deleteRow(context.tx, place);
    const targetId = `${place.organizationId}:${template}:${language}`;
    context.audit({ targetType: 'MailText', targetId, detail: { template, language }, ...(before && { before }) });
    return toMailText(input, undefined);
  },

  async complete(text, { deps }) {
    deps.faces.forget();
    return text;
  },
});
