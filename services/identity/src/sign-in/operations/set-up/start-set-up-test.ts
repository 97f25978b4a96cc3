import { failures } from '@tessera/kernel/errors';
import { Id, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { auditedAs, holdOpenSetUp, requireOpenSetUp } from '../../set-up.ts';
import { lockConnection } from '../../storage/connections.ts';
import { beginConnectionTest } from '../../upstream/connection-test.ts';

export const startSetUpTest = operation({
  name: 'startSetUpTest',
  summary: 'Start a test of the identity provider of a set-up link. The test signs nobody in and creates no account',
  kind: 'mutation',
  input: strict({ id: Id }),
  output: Type.Object({
    url: Type.String({ secret: true, description: 'To be opened in the same browser, once, within ten minutes; it ends at the page' }),
    expiresAt: Timestamp,
  }),
  access: { open: 'bound to the browser by a cookie; its holder has no account' },
  scopes: 'none',
  verification: { exempt: 'the caller has no account' },
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: 'connection.test-started',
  events: [],
  leaves: { ends: 'the address is good once, for ten minutes, in that browser, while the link is, and lets nobody in' },
  rest: { method: 'POST', path: '/api/set-up/:id/tests', status: 201 },
  graphql: { none: 'REST only: for the page, which is bound by a cookie' },

  async prepare({ id }, context) {
    await requireOpenSetUp(id, context);
  },

  async handle({ id }, context) {
    const { tx, deps, now, audit } = context;
    const link = await holdOpenSetUp(tx, id, now);
    const { organizationId, connectionId, connectionMadeAt } = link;
    const connection = connectionMadeAt === null ? undefined : await lockConnection(tx, organizationId, connectionId);
    if (connection?.status !== 'draft') throw failures.notFound('Connection');
    const landing = `${deps.settings.frontendUrl}/set-up?link=${id}`;
    audit(auditedAs(link, { targetType: 'Connection', targetId: connectionId, detail: { name: connection.name } }));
    const { url, expiresAt } = await beginConnectionTest(tx, { connection, createdBy: null, landing, setUpLinkId: id }, context);
    return { url, expiresAt };
  },
});
