import { scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { renderSample } from '../../../mail/sample.ts';
import { operation } from '../../deps.ts';
import { assertText, mailTextScopes, placeFields, textFields } from './mail-text.ts';

export const previewMailText = operation({
  name: 'previewMailText',
  summary: 'A mail with a text as it would be sent, with made-up names; nothing is kept',
  kind: 'query',
  input: strict({ ...placeFields, ...textFields }),
  output: Type.Object({ subject: Type.String(), text: Type.String(), html: Type.String() }),
  access: { permission: 'Branding:Query' },
  scopes: mailTextScopes,
  verification: 'by-scope',
  isolation: { none: 'one query of the organization’s face' },
  errors: [],
  audit: { none: 'nothing is kept' },
  events: [],
  rest: { method: 'POST', path: '/api/mail-texts/:template/:language/preview' },
  graphql: { field: 'previewMailText', type: 'MailPreview' },
  example: {
    input: { template: 'verify-email', language: 'en', subject: 'Confirm your address for {{brandName}}', body: 'Welcome.\n\n{{link}}' },
  },

  async handle({ template, language, subject, body }, context) {
    const { deps } = context;
    assertText(template, { subject, body });
    const face = await deps.faces.ofOrganization(scopeOf(context).id);
    const { frontendUrl } = deps.settings;
    const sample = { template, language, text: { subject, body }, url: `${frontendUrl}/console` };
    const mail = renderSample(sample, face, deps.faces.platform.name);
    return { subject: mail.subject, text: mail.text, html: mail.html };
  },
});
