import { Id, strict } from '@tessera/kernel/operation';
import { operation } from '../../deps.ts';
import { requireSetUp } from '../../set-up.ts';
import { describeSetUp, SetUp } from './set-up.ts';

export const getSetUp = operation({
  name: 'getSetUp',
  summary: 'What the page of a set-up link shows: the organization, who asked, and what was made by the link',
  kind: 'query',
  input: strict({ id: Id }),
  output: SetUp,
  access: { open: 'bound to the browser by a cookie; its holder has no account' },
  scopes: 'none',
  verification: { exempt: 'the caller has no account' },
  isolation: { none: 'single queries' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: { none: 'a page reads what it shows' },
  events: [],
  rest: { method: 'GET', path: '/api/set-up/:id' },
  graphql: { none: 'REST only: for the page, which is bound by a cookie' },
  handle: async ({ id }, context) => describeSetUp(await requireSetUp(id, context), context),
});
