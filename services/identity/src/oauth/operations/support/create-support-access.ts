import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { callerOf, Id, type OperationContext, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import {
  countOpenAccesses,
  holdSupportConsent,
  insertSupportAccess,
  listSupportConsents,
  type SupportAccess as Row,
} from '../../../apps/storage/support-accesses.ts';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { mayBecomeLink } from '../../../mail/domain/own-text.ts';
import { type OauthDeps, operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import {
  assertActable,
  auditThere,
  beginWithinMs,
  entryOf,
  isOwnerOf,
  Minutes,
  Reason,
  requirePerson,
  SupportAccess,
  supportScopes,
  toSupportAccess,
} from './support-access.ts';
import { approversOf, queueMails, readToTell } from './tell.ts';

/** Of one supporter in one organization. */
const mostOpen = 5;
const dayMs = 86_400_000;

export const createSupportAccess = operation({
  name: 'createSupportAccess',
  summary: 'Ask to act as a person of an organization that uses the project; nothing happens until the organization allows it',
  kind: 'mutation',
  input: strict({ ...scopeField, organizationId: Id, userId: Id, reason: Reason, minutes: Type.Optional(Minutes) }),
  output: SupportAccess,
  access: { permission: 'SupportAccess:Use' },
  scopes: supportScopes,
  verification: 'by-scope',
  limit: 'auth',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'CONNECTION_REQUIRED', 'FORBIDDEN', 'FRESH_SIGN_IN_REQUIRED', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'support.requested',
  events: [],
  leaves: { ends: 'it gives nothing until the organization allows it, and lapses after a day' },
  rest: { method: 'POST', path: '/api/support-access', status: 201 },
  graphql: { field: 'createSupportAccess', type: 'SupportAccess' },

  async prepare({ organizationId, userId, reason, minutes = 60 }, context) {
    const supporterId = requirePerson(context).userId;
    if (callerOf(context).subject.within !== undefined) throw failures.freshSignInRequired();
    if (mayBecomeLink(reason)) throw failures.validation('reason', withoutLinks);
    const asked = { supporterId, userId, organizationId, projectScopeId: scopeOf(context).id, reason, minutes };
    const isOwner = await assertActable(asked, context);
    const [consentId, approvers] = await Promise.all([
      // For an Owner an Owner is asked each time.
      isOwner ? undefined : consentFor(asked, context),
      approversOf(organizationId, context.deps),
    ]);
    return { asked, consentId, toTell: await readToTell(asked, [...approvers, userId], context.deps) };
  },

  async handle(_input, context, { asked, consentId, toTell }) {
    const { tx, deps, now, audit, request } = context;
    const { supporterId, organizationId, projectScopeId } = asked;
    await holdScope(tx, organizationId);
    if ((await countOpenAccesses(tx, supporterId, organizationId)) >= mostOpen) throw errors.tooManySupportRequests();
    const consent = consentId === undefined ? undefined : await holdSupportConsent(tx, organizationId, projectScopeId, now);
    const at = now.toISOString();
    const isAllowed = consent !== undefined && consent.id === consentId;
    const decision = isAllowed ? { decidedBy: consent.givenBy, decidedAt: at, consentId: consent.id } : undecided;
    const row: Row = {
      id: newId(),
      ...asked,
      ...decision,
      status: isAllowed ? 'allowed' : 'requested',
      requestedAt: at,
      mayWrite: isAllowed && consent.mayWrite,
      mayExport: isAllowed && consent.mayExport,
      sessionId: null,
      startedAt: null,
      endsAt: new Date(now.getTime() + (isAllowed ? beginWithinMs : dayMs)).toISOString(),
      endedAt: null,
      endedBy: null,
    };
    await insertSupportAccess(tx, row).catch((error: unknown) => {
      throw isUniqueViolation(error, 'support_accesses_open') ? errors.supportRequestedAlready() : error;
    });
    await queueMails(tx, 'support-requested', row, toTell, { deps, now, language: request.language });
    audit(entryOf(row));
    await auditThere(tx, 'support.requested', row, context);
    return row;
  },

  async complete(row, context) {
    context.deps.mailer.poke();
    return toSupportAccess(row, context);
  },
});

/**
 * The standing consent, as long as who gave it may still give it: the event of their demotion may
 * come later.
 */
async function consentFor(
  { supporterId, organizationId, projectScopeId }: Pick<Row, 'supporterId' | 'organizationId' | 'projectScopeId'>,
  { deps, now }: OperationContext<OauthDeps>,
) {
  const consents = await listSupportConsents(deps.database, organizationId, now);
  const consent = consents.find((given) => given.projectScopeId === projectScopeId && given.givenBy !== supporterId);
  return consent !== undefined && (await isOwnerOf(organizationId, consent.givenBy, deps)) ? consent.id : undefined;
}

const withoutLinks = {
  en: 'must not contain an address of the web or of mail: its readers do not know you',
  de: 'darf keine Web- oder E-Mail-Adresse enthalten: Wer sie liest, kennt Sie nicht',
};
const undecided = { decidedBy: null, decidedAt: null, consentId: null } as const;
