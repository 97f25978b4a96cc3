import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, type OperationContext, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { findServiceAccount } from '../../../apps/storage/service-accounts.ts';
import { voucherOf } from '../../../apps/voucher.ts';
import type { Voucher } from '../../../ground/domain/project-app.ts';
import { namesOfScopes } from '../../../ground/peers/names.ts';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { newOpaqueToken } from '../../../ground/tokens/opaque-token.ts';
import { readAddress } from '../../../people/operations/addresses.ts';
import { Address } from '../../../people/operations/entities.ts';
import { findPerson } from '../../../people/storage/people.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { directoryActions, mayAll, setUpDays, stands } from '../../set-up.ts';
import { countLiveLinks, insertSetUpLink } from '../../storage/set-up-links.ts';
import { organizationOf } from '../connections/connection.ts';
import { SetUpLink, setUpScopes, show } from './set-up-link.ts';

type Context = OperationContext<SignInDeps>;

const dayMs = 86_400_000;
const mostLinks = 10;

export const createSetUpLink = operation({
  name: 'createSetUpLink',
  summary:
    'Make a link by which the IT of the organization proves its domains and enters its identity provider, without an account. It works in one browser, for seven days',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    email: Type.Optional(Address),
    allowsDirectory: Type.Optional(
      Type.Boolean({
        description: 'It may make a token for SCIM, too. The token does nothing until an Owner gives its account the role Provisioning',
      }),
    ),
  }),
  output: Type.Object({ ...SetUpLink.properties, url: Type.String({ description: 'With the secret: shown here and never again' }) }),
  access: { permission: 'Connection:Create' },
  scopes: setUpScopes,
  verification: 'by-scope',
  freshness: { minutes: 10 },
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  audit: 'set-up-link.created',
  events: [],
  leaves: 'vouched',
  rest: { method: 'POST', path: '/api/connections/set-up-links', status: 201 },
  graphql: { field: 'createSetUpLink', type: 'CreatedSetUpLink' },
  example: { input: { email: 'it@example.com' }, records: ['email'] },

  async prepare({ email, allowsDirectory = false }, context) {
    const { deps, now } = context;
    const organizationId = organizationOf(context);
    const voucher = await makerOf(context);
    // It does more than its maker was asked about: domains, too.
    if (!(await stands({ voucher, organizationId }, deps, now))) throw failures.forbidden();
    if (allowsDirectory && !(await mayMakeDirectory({ voucher, organizationId }, deps))) throw failures.forbidden();
    const [[names], maker] = await Promise.all([
      namesOfScopes([{ tenant: 'organization', id: organizationId }], deps),
      nameOfMaker({ createdBy: voucher.userId, organizationId }, deps),
    ]);
    const address = email === undefined ? null : readAddress(email, 'email');
    return { voucher, address, organizationName: names?.organization ?? organizationId, maker };
  },

  async handle({ allowsDirectory = false }, context, { voucher, address: email, organizationName, maker }) {
    const { tx, deps, now, request, audit } = context;
    const organizationId = organizationOf(context);
    await holdScope(tx, organizationId);
    if ((await countLiveLinks(tx, organizationId, now)) >= mostLinks) throw errors.tooManySetUpLinks({ params: { count: mostLinks } });
    const token = newOpaqueToken();
    const expiresAt = new Date(now.getTime() + setUpDays * dayMs).toISOString();
    const made = {
      id: newId(),
      organizationId,
      voucher,
      createdBy: voucher.userId,
      email,
      connectionId: newId(),
      allowsDirectory,
      expiresAt,
      token,
    };
    const link = await insertSetUpLink(tx, made, now);
    const url = `${deps.settings.frontendUrl}/set-up#token=${token}`;
    if (email !== null) {
      const data = { token, url, organizationId, organizationName, maker, expiresAt };
      const mail = { template: 'set-up-link', to: email, language: request.language, data, senderId: voucher.userId };
      await deps.mailer.queue(tx, mail, now);
    }
    audit({ targetType: 'SetUpLink', targetId: link.id, detail: { name: email ?? link.id }, after: { email, allowsDirectory, expiresAt } });
    return { ...show(link, 'open'), url };
  },

  complete: async (result, { deps }) => {
    deps.mailer.poke();
    return result;
  },
});

/** Service accounts make no credentials, so none by a link either. */
async function mayMakeDirectory(made: { readonly voucher: Voucher; readonly organizationId: string }, deps: SignInDeps): Promise<boolean> {
  return made.voucher.type === 'session' && mayAll(made, directoryActions, deps);
}

/** Keys and apps belong to a project; what they made would outlive the word of a person. */
async function makerOf(context: Context): Promise<Voucher> {
  const { subject } = callerOf(context);
  if (subject.type === 'session') return { type: 'session', userId: subject.userId, tokenId: subject.tokenId };
  if (subject.type !== 'serviceAccount') throw failures.forbidden();
  return voucherOf(subject, context.deps);
}

/** As the page and the mail call them. */
export async function nameOfMaker(
  { createdBy, organizationId }: { readonly createdBy: string; readonly organizationId: string },
  { database }: Pick<SignInDeps, 'database'>,
): Promise<string> {
  const person = await findPerson(database, createdBy);
  const account = person ?? (await findServiceAccount(database, { tenant: 'organization', id: organizationId }, createdBy));
  return account?.name ?? '–';
}
