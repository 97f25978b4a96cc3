import { Id, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { tellOwners } from '../../enforcement.ts';
import { errors } from '../../errors.ts';
import { auditedAs, holdOpenSetUp, requireOpenSetUp } from '../../set-up.ts';
import { findConnectionOf } from '../../storage/connections.ts';
import { updateSetUpLink } from '../../storage/set-up-links.ts';
import { describeSetUp, SetUp } from './set-up.ts';

export const finishSetUp = operation({
  name: 'finishSetUp',
  summary: 'Finish a set-up link: nothing more can be changed by it, and the Owners of the organization get a mail with what was set up',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: SetUp,
  access: { open: 'bound to the browser by a cookie; its holder has no account' },
  scopes: 'none',
  verification: { exempt: 'the caller has no account' },
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'set-up-link.finished',
  events: ['connection.ownersTold'],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/set-up/:id/finish' },
  graphql: { none: 'REST only: for the page, which is bound by a cookie' },

  async prepare({ id }, context) {
    const link = await requireOpenSetUp(id, context);
    const { organizationId } = link;
    return (await context.deps.tenancy.listSetUpDomains({ organizationId, linkId: id })).domains;
  },

  async handle({ id }, context, domains) {
    const { tx, now, audit } = context;
    const link = await holdOpenSetUp(tx, id, now);
    const { organizationId, connectionId, connectionMadeAt, directoryAccountId } = link;
    const connection = connectionMadeAt === null ? undefined : await findConnectionOf(tx, organizationId, connectionId);
    if (connection === undefined && domains.length === 0 && directoryAccountId === null) throw errors.emptySetUp();
    const named = (isProven: boolean) =>
      domains
        .filter(({ status }) => (status === 'verified') === isProven)
        .map(({ domain }) => domain)
        .join(', ') || '–';
    const [proven, unproven] = [named(true), named(false)];
    const connectionName = connection?.name ?? '–';
    const directory = directoryAccountId === null ? '' : 'SCIM';
    const data = { connectionName, directory, proven, unproven, at: now.toISOString(), path: `/org/${organizationId}/set-up-links` };
    await tellOwners(tx, { organizationId, template: 'set-up-finished', data });
    audit(
      auditedAs(link, {
        detail: { name: link.email ?? id, connection: connection?.id ?? null, directory: directoryAccountId, proven, unproven },
      }),
    );
    return updateSetUpLink(tx, id, { finishedAt: now.toISOString() }, now);
  },

  complete: (link, context) => describeSetUp(link, context),
});
