import { failures } from '@tessera/kernel/errors';
import { callerOf, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { sampleData } from '../../../mail/sample.ts';
import { countMailJobs } from '../../../mail/storage/mail-jobs.ts';
import { operation } from '../../deps.ts';
import { provenAddressesOf } from '../../domain/proven-address.ts';
import { errors } from '../../errors.ts';
import { listMethods } from '../../storage/authentication-methods.ts';
import { lockPerson } from '../../storage/people.ts';
import { assertText, mailTextScopes, placeFields, textFields } from './mail-text.ts';

const mostTests = 5;
const windowSeconds = 600;

export const testMailText = operation({
  name: 'testMailText',
  summary: 'Send a mail with a text to oneself, with made-up names; five in ten minutes',
  kind: 'mutation',
  input: strict({ ...placeFields, ...textFields }),
  output: Type.Object({ to: Type.String() }),
  access: { permission: 'Branding:Update' },
  scopes: mailTextScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  limit: 'auth',
  errors: ['CONFLICT', 'RATE_LIMIT_EXCEEDED'],
  audit: 'mail-text.tested',
  events: [],
  leaves: { ends: 'a mail to the caller, whose link leads to the console' },
  rest: { method: 'POST', path: '/api/mail-texts/:template/:language/test', status: 202 },
  graphql: { field: 'testMailText', type: 'MailTestResult' },
  example: {
    input: { template: 'verify-email', language: 'en', subject: 'Confirm your address for {{brandName}}', body: 'Welcome.\n\n{{link}}' },
  },

  async prepare({ template, subject, body }) {
    assertText(template, { subject, body });
  },

  async handle({ template, language, subject, body }, context) {
    const { tx, deps, now, audit } = context;
    const { userId } = callerOf(context);
    // One after the other, so that their number is right.
    await lockPerson(tx, userId);
    const methods = await listMethods(tx, [userId]);
    const [to] = provenAddressesOf(methods.toSorted((one, other) => Number(other.isPrimary) - Number(one.isPrimary)));
    if (to === undefined) throw errors.noAddressForTest();
    const organizationId = scopeOf(context).id;
    if (
      (await countMailJobs(tx, { recipient: to, template: 'mail-text-test' }, new Date(now.getTime() - windowSeconds * 1_000))) >= mostTests
    )
      throw failures.rateLimited(windowSeconds);
    const data = { ...sampleData, url: `${deps.settings.frontendUrl}/console`, organizationId, of: template, draft: { subject, body } };
    await deps.mailer.queue(tx, { template: 'mail-text-test', to, language, data }, now);
    audit({ targetType: 'MailText', targetId: `${organizationId}:${template}:${language}`, detail: { template, language } });
    return { to };
  },

  async complete(result, { deps }) {
    deps.mailer.poke();
    return result;
  },
});
