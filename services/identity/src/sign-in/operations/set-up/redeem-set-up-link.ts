import { failures } from '@tessera/kernel/errors';
import { Id, strict, Timestamp } from '@tessera/kernel/operation';
import Type from 'typebox';
import { bindBrowser, readBrowser } from '../../../ground/browser-binding.ts';
import { OneTimeToken } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import { assertOwnPage, assertStands, auditedAs, setUpCookie, setUpDays } from '../../set-up.ts';
import { findSetUpLinkByToken, lockSetUpLink, updateSetUpLink } from '../../storage/set-up-links.ts';

/** The newest link of a browser sets it anew; older ones share it. */
const cookieSeconds = setUpDays * 86_400;

export const redeemSetUpLink = operation({
  name: 'redeemSetUpLink',
  summary: 'Begin with a set-up link: from now on it works in this browser alone',
  kind: 'mutation',
  input: strict({ token: OneTimeToken }),
  output: Type.Object({ id: Id, expiresAt: Timestamp }),
  access: { open: 'the token of the link is the proof; its holder has no account' },
  scopes: 'none',
  verification: { exempt: 'the caller has no account' },
  isolation: { unscoped: 'identity has no pivot tables' },
  limit: 'auth',
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'set-up-link.begun',
  events: [],
  leaves: { ends: 'the browser can do what the link can, while its maker may, until it is finished or ends' },
  rest: { method: 'POST', path: '/api/connections/set-up-links/redeem' },
  graphql: { none: 'REST only: for the page, which is bound by a cookie' },

  async prepare({ token }, context) {
    assertOwnPage(context);
    const link = await findSetUpLinkByToken(context.deps.database, token);
    if (link === undefined) throw failures.notFound('SetUpLink');
    await assertStands(link, context);
    return { id: link.id };
  },

  async handle(_input, context, { id }) {
    const { tx, deps, now, request, response, audit } = context;
    const { appUrl } = deps.settings;
    const link = await lockSetUpLink(tx, id);
    if (link === undefined) throw failures.notFound('SetUpLink');
    if (link.revokedAt !== null) throw errors.endedSetUp();
    const detail = { name: link.email ?? id };
    if (link.browser !== null && link.browser !== readBrowser(request, appUrl, setUpCookie)) {
      // The organization sees in its log that a second browser has the link, too.
      audit(auditedAs(link, { action: 'set-up-link.refused', outcome: 'refused', code: 'CONFLICT', detail }));
      return { isElsewhere: true, id, expiresAt: link.expiresAt };
    }
    const browser = bindBrowser(request, response, appUrl, cookieSeconds, setUpCookie);
    if (link.browser === null) {
      const begun = { browser, begunAt: now.toISOString(), begunFrom: request.ipAddress };
      await updateSetUpLink(tx, id, begun, now);
    }
    audit(auditedAs(link, { ...(link.browser === null ? {} : { action: 'set-up-link.continued' }), detail }));
    return { isElsewhere: false, id, expiresAt: link.expiresAt };
  },

  async complete({ isElsewhere, ...begun }) {
    if (isElsewhere) throw errors.setUpElsewhere();
    return begun;
  },
});
