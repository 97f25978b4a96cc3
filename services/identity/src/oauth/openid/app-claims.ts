/** The claims that an app gets besides the standard ones (docs/decisions/043). */
import { ignoreUnknownMethod } from '@tessera/kernel/grpc';
import { type ClaimMapping, type ClaimPlace, claimFault, metadataPath, mostClaimBytes } from '@tessera/rules/claims';
import { noteLeftOutClaims } from '../../apps/storage/project-apps.ts';
import type { ProjectApp } from '../../ground/domain/project-app.ts';
import { findProfile, type Profile } from '../../people/storage/people.ts';
import { findPlaces, placeOf } from './organizations.ts';
import type { OpenidRequest } from './request.ts';

type Values = Readonly<Record<string, unknown>>;
type Of = { readonly userId: string; readonly scopes: ReadonlySet<string>; readonly profile?: Profile };

/**
 * The values of now, for one token or answer. What has no value is left out, and what would make
 * all together longer than 4 kB; the app then says so.
 */
export async function claimsOfApp(app: ProjectApp, place: ClaimPlace, of: Of, request: OpenidRequest): Promise<Values> {
  const mapped = app.claims.filter((claim) => claim.in === place && claimFault(claim) === undefined && mayRead(claim, app, of, request));
  if (mapped.length === 0) return {};
  const read = await readSources(mapped, app, of, request);
  const { values, leftOut } = fitting(mapped.map(({ name, source }) => [name, read(source)] as const));
  const { deps, now } = request.context;
  if (leftOut.length > 0)
    deps.background.run('claims left out', () => deps.database.transaction((tx) => noteLeftOutClaims(tx, app.id, leftOut, now)));
  return values;
}

/** The keys of their own metadata that a consent to this app gives it. */
export function askedDetails({ claims }: Pick<ProjectApp, 'claims'>): string[] {
  const paths = claims.map(({ source }) => metadataPath(source));
  return [...new Set(paths.flatMap((path) => (path?.of === 'user' ? [path.keys.join('.')] : [])))].toSorted();
}

/**
 * What people say of themselves needs the scope profile, which they allow. In the organization of a
 * customer the product reads their metadata only if the person was asked, and never what that
 * organization has written of them.
 */
function mayRead({ source }: ClaimMapping, { isFirstParty }: ProjectApp, { scopes }: Of, { organizationId }: OpenidRequest): boolean {
  const of = metadataPath(source)?.of;
  const isOfCustomer = organizationId !== undefined;
  if (of === 'member') return !isOfCustomer;
  if (of === 'user') return scopes.has('profile') && !(isOfCustomer && isFirstParty);
  return source !== 'user.name' || scopes.has('profile');
}

async function readSources(mapped: readonly ClaimMapping[], app: ProjectApp, { userId, profile }: Of, request: OpenidRequest) {
  const reads = (...beginnings: readonly string[]) =>
    mapped.some(({ source }) => beginnings.some((beginning) => source.startsWith(beginning)));
  const { organizationId, context } = request;
  const { tenant, id } = placeOf(app, organizationId);
  const [person, organization, described] = await Promise.all([
    profile ?? (reads('user.') ? findProfile(context.deps.database, userId) : undefined),
    reads('organization.') ? organizationOf(userId, app, request) : undefined,
    reads('roles', 'grant.', 'member.')
      ? ignoreUnknownMethod(context.deps.roles.describePerson({ scope: { tenant, id }, userId }))
      : undefined,
  ]);
  const metadata = {
    user: person?.metadata,
    member: parsed(described?.memberMetadataJson),
    grant: organizationId === undefined ? undefined : parsed(described?.grantMetadataJson),
  };
  return (source: string): unknown => {
    const path = metadataPath(source);
    if (path !== undefined) return at(metadata[path.of], path.keys);
    if (source === 'roles') return described === undefined ? undefined : [...described.roleNames];
    if (source === 'user.name') return person?.name;
    return source === 'organization.name' ? organization?.name : organization?.slug;
  };
}

/** That for which the person signs in, else the one whose project it is. */
async function organizationOf(userId: string, app: ProjectApp, { organizationId, organization, context }: OpenidRequest) {
  return organizationId === undefined ? (await findPlaces(userId, app, context.deps))?.owner : organization;
}

function parsed(json: string | undefined): unknown {
  return json === undefined || json === '' ? undefined : JSON.parse(json);
}

/** Own keys of objects only: no list is entered, and nothing that objects inherit. */
function at(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => {
    const isEntered = typeof inner === 'object' && inner !== null && !Array.isArray(inner) && Object.hasOwn(inner, key);
    return isEntered ? Reflect.get(inner, key) : undefined;
  }, value);
}

function fitting(claims: readonly (readonly [name: string, value: unknown])[]): { values: Values; leftOut: readonly string[] } {
  const values: [string, unknown][] = [];
  const leftOut: string[] = [];
  let bytes = 0;
  for (const [name, value] of claims) {
    if (value === undefined || value === null) continue;
    // With its quotes, colon and comma.
    const size = Buffer.byteLength(JSON.stringify({ [name]: value })) - 1;
    if (bytes + size > mostClaimBytes) leftOut.push(name);
    else {
      bytes += size;
      values.push([name, value]);
    }
  }
  return { values: Object.fromEntries(values), leftOut };
}
