import { assertVersion, strict } from '@tessera/kernel/operation';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { lockMailText, saveMailText } from '../../../mail/storage/mail-texts.ts';
import { operation } from '../../deps.ts';
import { assertText, MailText, mailTextScopes, placeFields, textFields, textPlaceOf, toMailText } from './mail-text.ts';

export const updateMailText = operation({
  name: 'updateMailText',
  summary: 'Write the text of a mail in the name of an organization, in one language: plain text with {{variables}}, and no other link',
  kind: 'mutation',
  input: strict({ ...placeFields, ...textFields }),
  output: MailText,
  access: { permission: 'Branding:Update' },
  scopes: mailTextScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN'],
  audit: 'mail-text.updated',
  versioned: true,
  events: [],
  leaves: 'nothing',
  rest: { method: 'PUT', path: '/api/mail-texts/:template/:language' },
  graphql: { field: 'updateMailText', type: 'MailText' },
  example: {
    input: {
      template: 'verify-email',
      language: 'en',
      subject: 'Confirm your address for {{brandName}}',
      body: 'Welcome to {{brandName}}.\n\n{{link}}\n\nSee you soon.',
    },
  },

  async prepare({ template, subject, body }) {
    assertText(template, { subject, body });
  },

  async handle(input, context) {
    const { tx, now, audit } = context;
    const { template, language, subject, body } = input;
    const place = textPlaceOf(input, context);
    await holdScope(tx, place.organizationId);
    const { row, isFirst } = await lockMailText(tx, place, { subject, body }, now);
    await assertVersion(context.request, async () => (isFirst ? { updatedAt: null } : row));
    const updatedAt = isFirst ? row.updatedAt : await saveMailText(tx, place, { subject, body }, now);
    const states = { ...(!isFirst && { before: { subject: row.subject, body: row.body } }), after: { subject, body } };
    audit({
      targetType: 'MailText',
      targetId: `${place.organizationId}:${template}:${language}`,
      detail: { template, language },
      ...states,
    });
    return toMailText(input, { subject, body, updatedAt });
  },

  async complete(text, { deps }) {
    deps.faces.forget();
    return text;
  },
});
