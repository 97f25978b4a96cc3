/** What the page of a set-up link shows: what was made by the link, and nothing else. */
import { annotate, Id, Nullable, type OperationContext, Timestamp } from '@tessera/kernel/operation';
import type * as tenancy from '@tessera/proto/types/tenancy.v1';
import Type, { type Static } from 'typebox';
import { connectionTestStatuses } from '../../../ground/domain/connection-test.ts';
import { namesOfScopes } from '../../../ground/peers/names.ts';
import { callbackOf } from '../../connections/openid-connection.ts';
import { samlAddressesOf } from '../../connections/saml/saml-connection.ts';
import type { SignInDeps } from '../../deps.ts';
import { type ConnectionTest, findTestByLink } from '../../storage/connection-tests.ts';
import { findConnectionOf } from '../../storage/connections.ts';
import type { SetUpLink } from '../../storage/set-up-links.ts';
import { ConnectionType } from '../connections/connection.ts';
import { Came, Cause, Finding, toConnectionTest } from '../connections/connection-test.ts';
import { ShownSaml, showSaml } from '../connections/saml-input.ts';
import { nameOfMaker } from './create-set-up-link.ts';

export const SetUpDomain = Type.Object({
  id: Id,
  domain: Type.String(),
  status: Type.String({ description: '`pending`, `verified`, `failing` or `lost`' }),
  challenge: Type.Object({ name: Type.String(), value: Type.String() }, { description: 'The TXT record that proves the domain' }),
  problem: Nullable(Type.String({ description: 'Why the last check did not succeed, as of a domain' })),
});

const SetUpConnection = Type.Object({
  type: ConnectionType,
  name: Type.String(),
  isDraft: Type.Boolean({ description: 'Nobody signs in by it until the organization switches it on' }),
  oidc: Nullable(Type.Object({ issuer: Type.String(), clientId: Type.String() })),
  saml: Nullable(ShownSaml),
});

const SetUpTest = Type.Object({
  status: Type.Enum([...connectionTestStatuses], { description: 'As of a test of a connection' }),
  createdAt: Timestamp,
  cause: Nullable(Cause),
  came: Type.Array(Came, { description: 'Claims or attributes as they came, without tokens' }),
  became: Nullable(
    Type.Object(
      { subject: Type.String(), email: Nullable(Type.String()), name: Nullable(Type.String()), isDomainProven: Type.Boolean() },
      { description: 'Nothing is asked of accounts, members and roles' },
    ),
  ),
  findings: Type.Array(Finding),
});

export const SetUp = Type.Object({
  id: Id,
  organization: Type.String({ description: 'Its name' }),
  madeBy: Type.String({ description: 'The name of whoever made the link' }),
  expiresAt: Timestamp,
  finishedAt: Nullable(Timestamp),
  callbackUrl: Type.String({ description: 'For OpenID Connect: register it at the provider as the redirect URI' }),
  spEntityId: Type.String({ description: 'For SAML: what we are called at the provider' }),
  acsUrl: Type.String({ description: 'For SAML: where the provider sends its answers' }),
  spMetadataUrl: Nullable(Type.String({ description: 'For SAML: both, as metadata, once there is a connection' })),
  directory: Nullable(
    Type.Object(
      { baseUrl: Type.String(), isMade: Type.Boolean({ description: 'Its token was shown once' }) },
      { description: 'SCIM, where the link may make a token for it' },
    ),
  ),
  domains: Type.Array(SetUpDomain),
  connection: Nullable(annotate(SetUpConnection, { description: 'Made by the link' })),
  test: Nullable(annotate(SetUpTest, { description: 'The last one of the connection as it is, begun by the link' })),
});

type Context = Pick<OperationContext<SignInDeps>, 'deps' | 'now'>;

export async function describeSetUp(link: SetUpLink, { deps, now }: Context): Promise<Static<typeof SetUp>> {
  const { id, organizationId, connectionId, connectionMadeAt, expiresAt, finishedAt, allowsDirectory, directoryAccountId } = link;
  const { appUrl } = deps.settings;
  const [[names], madeBy, { domains }, connection] = await Promise.all([
    namesOfScopes([{ tenant: 'organization', id: organizationId }], deps),
    nameOfMaker(link, deps),
    deps.tenancy.listSetUpDomains({ organizationId, linkId: id }),
    connectionMadeAt === null ? undefined : findConnectionOf(deps.database, organizationId, connectionId),
  ]);
  const test = connection && (await findTestByLink(deps.database, connection.id, connection.updatedAt, now));
  const { spMetadataUrl, ...saml } = samlAddressesOf(appUrl, connectionId);
  return {
    id,
    organization: names?.organization ?? '–',
    madeBy,
    expiresAt,
    finishedAt,
    callbackUrl: callbackOf(appUrl, connectionId),
    ...saml,
    spMetadataUrl: connection?.type === 'saml' ? spMetadataUrl : null,
    directory: allowsDirectory ? { baseUrl: directoryUrl(appUrl, organizationId), isMade: directoryAccountId !== null } : null,
    domains: domains.map(showSetUpDomain),
    connection: connection === undefined ? null : showConnection(connection),
    test: test === undefined ? null : showTest(test),
  };
}

function showTest(row: ConnectionTest): Static<typeof SetUpTest> {
  const { status, createdAt, cause, came, became, findings } = toConnectionTest(row);
  if (became === null) return { status, createdAt, cause, came, became, findings };
  const { subject, email, name, isDomainProven } = became;
  return { status, createdAt, cause, came, became: { subject, email, name, isDomainProven }, findings };
}

export function directoryUrl(appUrl: string, organizationId: string): string {
  return `${appUrl}/scim/v2/${organizationId}`;
}

export function showSetUpDomain({ id, domain, status, recordName, recordValue, problem }: tenancy.SetUpDomain) {
  return { id, domain, status, challenge: { name: recordName, value: recordValue }, problem: problem ?? null };
}

function showConnection({ type, name, status, issuer, clientId, saml }: NonNullable<Awaited<ReturnType<typeof findConnectionOf>>>) {
  const oidc = issuer === null || clientId === null ? null : { issuer, clientId };
  return { type, name, isDraft: status === 'draft', oidc, saml: saml === null ? null : showSaml(saml) };
}
