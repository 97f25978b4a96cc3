import { isDeepStrictEqual } from 'node:util';
import { failures } from '@tessera/kernel/errors';
import {
  annotate,
  assertVersion,
  callerOf,
  type HandleContext,
  Id,
  type OperationContext,
  scopeField,
  strict,
} from '@tessera/kernel/operation';
import Type from 'typebox';
import { ProviderFailure, ProviderRefusal } from '../../connections/provider.ts';
import { operation, type SignInDeps } from '../../deps.ts';
import { errors } from '../../errors.ts';
import {
  endSessionsOfConnection,
  hasLinks,
  lockConnection,
  type Connection as Row,
  updateConnectionRow,
} from '../../storage/connections.ts';
import { findSetUpLinkOf, isLive } from '../../storage/set-up-links.ts';
import { mayStillGive } from '../../upstream/default-role.ts';
import {
  assertDefaultRole,
  assertOfType,
  assertStillGives,
  Connection,
  connectionFields,
  connectionScopes,
  enforcementFields,
  isOwner,
  openidFields,
  organizationOf,
  RoleMappings,
  requireConnection,
  targetOf,
  toConnection,
  trustFields,
} from './connection.ts';
import { assertMayEnforce, connectionsEnforced } from './enforce.ts';
import { assertStillMaps, prepareMapping } from './role-mapping.ts';
import { readGivenSaml, Saml } from './saml-input.ts';
import { extendsTrust, tellOwnersOf, withdrawnTrust } from './trust.ts';

export const updateConnection = operation({
  name: 'updateConnection',
  summary:
    'Change an identity provider, or switch it on and off. Its issuer never changes: another one is another connection. Switched off, the sessions that came by it end',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    id: Id,
    ...Type.Partial(Type.Object(connectionFields)).properties,
    oidc: Type.Optional(
      strict(Type.Partial(Type.Object(openidFields)).properties, { description: 'Of type oidc', graphqlType: 'ConnectionOidcChangeInput' }),
    ),
    saml: Type.Optional(Saml),
    roleMapping: Type.Optional(annotate(RoleMappings, { examples: [] })),
    isEnforced: Type.Optional(enforcementFields.isEnforced),
    breakGlassUserIds: Type.Optional(annotate(enforcementFields.breakGlassUserIds, { examples: [] })),
    linkOnProvenDomain: Type.Optional(trustFields.linkOnProvenDomain),
    trustedAcr: Type.Optional(annotate(trustFields.trustedAcr, { examples: [] })),
    status: Type.Optional(
      Type.Enum(['active', 'disabled'], {
        graphqlType: 'ConnectionStatus',
        description: 'active: its discovery document is read first, or there is metadata, and people of proven domains may sign in',
      }),
    ),
  }),
  output: Connection,
  access: { permission: 'Connection:Update', target: targetOf },
  scopes: connectionScopes,
  verification: 'by-scope',
  freshness: { minutes: 10 },
  limit: { global: 'the secret is of another system: it is kept, and compared with nothing' },
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['CONFLICT', 'FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'connection.updated',
  events: ['organization.connectionsEnforced', 'connection.ownersTold'],
  leaves: { ends: 'it is the organization’s: it lets in people of proven domains only, until it is switched off' },
  rest: { method: 'PATCH', path: '/api/connections/:id' },
  graphql: { field: 'updateConnection', type: 'Connection' },

  async prepare({ id, defaultRoleId, status, oidc, saml: given, roleMapping, isEnforced, breakGlassUserIds, ...trust }, context) {
    const known = await requireConnection(id, context);
    const { type, issuer, saml: kept, status: before, defaultRoleId: gives } = known;
    await assertMayEnforce({ ...known, status: status ?? before }, { isEnforced, breakGlassUserIds }, context);
    assertOfType(type, { oidc: type === 'oidc' ? (oidc ?? {}) : oidc, saml: given });
    const saml = given === undefined ? undefined : await readGivenSaml(given, organizationOf(context), context.deps);
    const chosen = await chooserOfDefault(defaultRoleId, known, context);
    const replacesKeys = saml !== undefined && !isDeepStrictEqual(saml, kept);
    const isOther = replacesKeys || oidc?.clientId !== undefined || oidc?.clientSecret !== undefined;
    // A client that the provider does not know would lock all members out, Owners too.
    const isClientOther = isOther || oidc?.scopes !== undefined;
    if (isClientOther && known.isEnforced && !(await isOwner(context))) throw errors.enforcedByOwners();
    // Who brings another provider would be believed what Owners have decided of this one.
    const isBelieved = known.linkOnProvenDomain || known.trustedAcr.length > 0;
    const mustBeOwner = extendsTrust(known, trust) || (isOther && isBelieved);
    if (mustBeOwner && !(await isOwner(context))) throw errors.trustedByOwners();
    // Else an Admin's own provider would make people whose role the Admin could not give.
    if (isOther || status === 'active') {
      await assertStillGives(gives, context);
      await assertStillMaps(known.roleMapping, context);
    }
    const mapping = roleMapping && (await prepareMapping(roleMapping, known, context));
    const seen = askedAbout(known);
    const prepared = { saml, mapping, chosen, seen, isOwner: replacesKeys && (await isOwner(context)) };
    if (status !== 'active' || before === 'active') return prepared;
    const { hasProvenDomain } = await context.deps.tenancy.getAdmission({
      organizationId: organizationOf(context),
      address: '',
      userId: '',
    });
    if (!hasProvenDomain) throw errors.noProvenDomain();
    if (issuer === null) {
      if ((saml ?? kept) === null)
        throw failures.validation('status', {
          en: 'cannot be active without the metadata of the provider',
          de: 'kann ohne die Metadaten des Anbieters nicht active sein',
        });
      return prepared;
    }
    await context.deps.openidConnections.discover(issuer).catch((error: unknown) => {
      if (!(error instanceof ProviderFailure || error instanceof ProviderRefusal)) throw error;
      throw failures.validation('status', {
        en: 'cannot be active: the provider gave no usable discovery document at its issuer; look at the address, and whether this server can reach it',
        de: 'kann nicht active sein: Der Anbieter gab unter seinem Issuer kein brauchbares Discovery-Dokument; prüfen Sie die Adresse, und ob dieser Server sie erreicht',
      });
    });
    return prepared;
  },

  async handle(
    { scope: _scope, id, oidc = {}, saml: _given, roleMapping: _mapping, ...given },
    context,
    { saml: read, mapping, chosen, seen, isOwner: byOwner },
  ) {
    const { tx, deps, now, audit } = context;
    const before = await lockConnection(tx, organizationOf(context), id);
    if (before === undefined) throw failures.notFound('Connection');
    await assertVersion(context.request, async () => before);
    // What the caller was asked about is another role, or another rule of who has to come by it.
    if (!isDeepStrictEqual(askedAbout(before), seen)) throw failures.changedMeanwhile();
    // Else the link could change the provider between the look at it and the switch.
    if (given.status === 'active' && before.status !== 'active') {
      const link = await findSetUpLinkOf(tx, id);
      if (link !== undefined && isLive(link, now)) throw errors.setUpUnderWay();
    }
    const roleMapping = mapping ?? before.roleMapping;
    const saml = read ?? before.saml;
    // A subject means something only together with its issuer.
    if (before.saml !== null && saml?.entityId !== before.saml.entityId)
      throw failures.validation('saml', {
        en: `describes another provider (entityID) than ${before.saml.entityId}; that is another connection`,
        de: `beschreibt einen anderen Anbieter (entityID) als ${before.saml.entityId}; das ist eine andere Verbindung`,
      });
    // The keys sign in each person who is linked, Owners too. Sign-ins wait for the lock.
    if (!isDeepStrictEqual(saml, before.saml) && !byOwner && (await hasLinks(tx, id))) throw errors.keysByOwners();
    const { clientSecret, ...openid } = oidc;
    const { name, clientId, scopes, defaultRoleId, status, isEnforced, breakGlassUserIds, linkOnProvenDomain, trustedAcr } = {
      ...before,
      ...openid,
      ...given,
    };
    const trust = { linkOnProvenDomain, trustedAcr };
    // Else an Admin who switches it off ends what Owners have decided.
    if (isEnforced && status !== 'active') throw errors.enforcedStays();
    const isOther = isEnforced !== before.isEnforced || !isDeepStrictEqual(breakGlassUserIds, before.breakGlassUserIds);
    const enforcement = { isEnforced, breakGlassUserIds, enforcedAt: isOther ? now.toISOString() : before.enforcedAt };
    const sealed = clientSecret === undefined ? undefined : deps.connectionSecrets.seal(id, clientSecret);
    const secret = { clientSecret: sealed?.secret ?? before.clientSecret, sealedWith: sealed?.sealedWith ?? before.sealedWith };
    const isChanged = clientSecret !== undefined || !isDeepStrictEqual({ clientId, scopes, saml }, settingsOf(before));
    const testedAt = isChanged ? null : before.testedAt;
    const row = await updateConnectionRow(
      tx,
      id,
      { name, clientId, saml, scopes, defaultRoleId, ...chosen, roleMapping, status, testedAt, ...enforcement, ...trust, ...secret },
      now,
    );
    if (isOther) await tellOfEnforcement(row, isEnforced !== before.isEnforced, context);
    if (extendsTrust(before, trust)) await tellOwnersOf(row, 'connection-believed', context);
    const isSwitchedOn = before.status !== 'active' && status === 'active';
    const isOfOthers = clientSecret !== undefined || clientId !== before.clientId || !isDeepStrictEqual(saml, before.saml);
    if (isSwitchedOn || (isOfOthers && status === 'active')) await tellOwnersOf(row, 'connection-changed', context);
    const withdrawn = withdrawnTrust(before, trust);
    const isOff = before.status === 'active' && status !== 'active';
    const ended = isOff || withdrawn.length > 0 ? await endSessionsOfConnection(tx, id, isOff ? {} : { amr: withdrawn }) : [];
    const { clientSecret: _sealed, sealedWith: _key, ...earlierFields } = before;
    const detail = {
      name,
      endedSessions: ended.length,
      ...(clientSecret === undefined ? {} : { clientSecret: 'changed' }),
      ...(isSwitchedOn ? { isTested: testedAt !== null } : {}),
    };
    audit({
      targetType: 'Connection',
      targetId: id,
      detail,
      before: earlierFields,
      after: {
        ...openid,
        ...given,
        ...(mapping === undefined ? {} : { roleMapping: mapping }),
        ...(read === undefined ? {} : { saml: read }),
      },
    });
    return { row, revocations: await deps.revoker.revokeSessions(tx, ended, now) };
  },

  async complete({ row, revocations }, context) {
    context.deps.revoker.announce(revocations);
    return toConnection(row, context);
  },
});

/** What decides whether the caller may make the change. */
function askedAbout({ defaultRoleId, defaultRoleBy, roleMapping, isEnforced, enforcedAt, linkOnProvenDomain, trustedAcr }: Row) {
  return { defaultRoleId, defaultRoleBy, roleMapping, isEnforced, enforcedAt, linkOnProvenDomain, trustedAcr };
}

/** The caller, of another role, and of one that who chose it could not give any more. */
async function chooserOfDefault(roleId: string | undefined, known: Row, context: OperationContext<SignInDeps>) {
  const { defaultRoleId, defaultRoleBy, isDefaultRoleByService } = known;
  if (roleId === undefined || (roleId === defaultRoleId && (await mayStillGive(known, context.deps))))
    return { defaultRoleBy, isDefaultRoleByService };
  await assertDefaultRole(roleId, context);
  const { userId, subject } = callerOf(context);
  return { defaultRoleBy: userId, isDefaultRoleByService: subject.type === 'serviceAccount' };
}

/** What a test was made with, besides the secret. */
function settingsOf({ clientId, scopes, saml }: Row) {
  return { clientId, scopes, saml };
}

/** rbac decides by it, and the Owners get a mail when it begins or ends. */
async function tellOfEnforcement(row: Row, isTold: boolean, context: HandleContext<SignInDeps>): Promise<void> {
  const { tx, now, emit } = context;
  emit(await connectionsEnforced(tx, row.organizationId, now));
  if (isTold) await tellOwnersOf(row, row.isEnforced ? 'connection-enforced' : 'connection-not-enforced', context);
}
