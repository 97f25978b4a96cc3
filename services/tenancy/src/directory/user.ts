/** A directory's user as a resource of SCIM, and the columns of a resource. */
import { isAddress, normalizeAddress } from '@tessera/kernel/addresses';
import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import { Id, type OperationContext, strict } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { parseScope } from '@tessera/kernel/scope';
import { sql } from 'kysely';
import Type, { type Static } from 'typebox';
import type { TenancyDeps } from '../deps.ts';
import { isObject, type Json, type Resource, schemasOf } from '../domain/scim/resource.ts';
import { groupType, type ResourceType, userType } from '../domain/scim/schema.ts';
import { errors, scimError } from '../errors.ts';
import type { Settings } from '../storage/directory-filter.ts';
import { listGroupsOfUsers } from '../storage/directory-groups.ts';
import type { DirectoryUser } from '../storage/directory-users.ts';

/** Of every operation here: the role Provisioning has it. */
export const provision = { permission: 'Directory:Provision' } as const;
export const scimOnly = { rest: { none: 'SCIM' }, graphql: { none: 'SCIM' } } as const;

export const Body = Type.Unknown({ description: 'As RFC 7644 says' });
/** RFC 9110: of If-Match. */
export const versionField = { version: Type.Optional(Type.String({ maxLength: 200 })) };

export const Shown = strict({ id: Id, resource: Type.Unknown(), version: Type.String(), lastModified: Type.String() });

type Addressed = Pick<TenancyDeps, 'appUrl'>;

/** Where the resources of a type are served; an id comes after it. */
export function locationOf({ appUrl }: Addressed, organizationId: string, { endpoint }: ResourceType): string {
  return `${appUrl}/scim/v2/${organizationId}${endpoint}/`;
}

export function settingsOf(deps: Addressed, organizationId: string, type: ResourceType): Settings {
  const extensions = type.extensions.map(({ id }) => sql`CASE WHEN d.attributes ? ${id}::text THEN ${id}::text END`);
  const schemas = sql`array_remove(ARRAY[${sql.join([sql`${type.schema.id}::text`, ...extensions])}], NULL)`;
  return { resourceType: type.name, schemas, location: locationOf(deps, organizationId, type) };
}

type Dated = Pick<DirectoryUser, 'id' | 'organizationId' | 'attributes' | 'version' | 'createdAt' | 'updatedAt'>;

/** A row as a resource: what the directory has said, and what is added here. */
export function showAs(type: ResourceType, row: Dated, added: Json, deps: Addressed): Static<typeof Shown> {
  const { id, organizationId, attributes, createdAt, updatedAt } = row;
  const version = `W/"${row.version}"`;
  const location = locationOf(deps, organizationId, type) + id;
  const meta = { resourceType: type.name, created: createdAt, lastModified: updatedAt, location, version };
  return { id, resource: { schemas: schemasOf(type, attributes), id, ...attributes, ...added, meta }, version, lastModified: updatedAt };
}

/** 412 when If-Match names another version. */
export function assertAsked(row: Pick<DirectoryUser, 'version'>, asked: string | undefined): void {
  if (asked === undefined || asked.trim() === '*') return;
  const tags = asked.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!tags.includes(`"${row.version}"`)) throw failures.changedMeanwhile();
}

/** The people as resources, with the groups that they are in. */
export async function showUsers(tx: Transaction, rows: readonly DirectoryUser[], deps: Addressed) {
  const [first] = rows;
  if (first === undefined) return [];
  const { organizationId } = first;
  const ids = rows.map(({ id }) => id);
  const groups = Map.groupBy(await listGroupsOfUsers(tx, organizationId, ids), ({ directoryUserId }) => directoryUserId);
  const base = locationOf(deps, organizationId, groupType);
  return rows.map((row) => {
    const own = (groups.get(row.id) ?? []).map(({ id, displayName }) => ({
      value: id,
      $ref: base + id,
      display: displayName,
      type: 'direct',
    }));
    return showAs(userType, row, { active: row.active, ...(own.length === 0 ? {} : { groups: own }) }, deps);
  });
}

/** One person, read after the commit. */
export async function show(row: DirectoryUser, { deps }: Pick<Context, 'deps'>) {
  const scope = { tenant: 'organization', id: row.organizationId } as const;
  const [shown] = await deps.database.scoped(parseScope(scope), (tx) => showUsers(tx, [row], deps), { readOnly: true });
  if (shown === undefined) throw new Error('a row is shown as a resource');
  return shown;
}

/** The resource as a PATCH finds it. */
export function resourceOf({ attributes, active }: Pick<DirectoryUser, 'attributes' | 'active'>): Resource {
  return { ...attributes, active };
}

function addressesOf({ emails }: Resource): readonly Json[] {
  return Array.isArray(emails) ? emails.filter(isObject).filter(({ value }) => typeof value === 'string') : [];
}

/** The primary address, else the one for work, else the first, else the userName. */
function addressOf(resource: Resource): string {
  const all = addressesOf(resource);
  const chosen = all.find(({ primary }) => primary === true) ?? all.find(({ type }) => String(type).toLowerCase() === 'work') ?? all[0];
  const address = normalizeAddress(String(chosen?.['value'] ?? resource['userName']));
  if (isAddress(address)) return address;
  throw scimError('invalidValue', 'The person needs an email address: in emails, or as the userName.');
}

function textIn(of: unknown, name: string): string {
  const value = isObject(of) ? of[name] : undefined;
  return typeof value === 'string' ? value.trim() : '';
}

/** The name that a new person gets; empty for none. */
export function nameOf(resource: Resource): string {
  const parts = ['givenName', 'familyName'].map((part) => textIn(resource['name'], part)).filter((part) => part !== '');
  const name = textIn(resource, 'displayName') || textIn(resource['name'], 'formatted') || parts.join(' ');
  return name.slice(0, 200);
}

export type Kept = Pick<DirectoryUser, 'userName' | 'externalId' | 'email' | 'attributes' | 'active'> & {
  readonly addresses: readonly string[];
};

/** The columns of a resource. `active` is true unless the directory says otherwise. */
export function keep({ active, ...attributes }: Resource, isActive: boolean): Kept {
  return {
    userName: textIn(attributes, 'userName').toLowerCase(),
    externalId: typeof attributes['externalId'] === 'string' ? attributes['externalId'] : null,
    email: addressOf(attributes),
    addresses: [...new Set(addressesOf(attributes).map(({ value }) => String(value).toLowerCase()))],
    attributes,
    active: typeof active === 'boolean' ? active : isActive,
  };
}

/** 409 uniqueness in the place of a violated index. */
export function refuseTaken(error: unknown): never {
  const field = isUniqueViolation(error, 'directory_users_user_name')
    ? 'userName'
    : isUniqueViolation(error, 'directory_users_external_id')
      ? 'externalId'
      : isUniqueViolation(error, 'directory_users_person')
        ? 'person'
        : undefined;
  throw field === undefined ? error : exists(field);
}

export function exists(field: string) {
  return errors.directoryUserExists({ params: { field }, extensions: { field } });
}

export type Context = OperationContext<TenancyDeps>;
