/** A directory's user as a resource of SCIM, and the columns of a resource. */
import { isAddress, normalizeAddress } from '@tessera/kernel/addresses';
import { failures, isUniqueViolation } from '@tessera/kernel/errors';
import { Id, type OperationContext, strict } from '@tessera/kernel/operation';
import { sql } from 'kysely';
import Type from 'typebox';
import type { TenancyDeps } from '../deps.ts';
import { isObject, type Json, type Resource, schemasOf } from '../domain/scim/resource.ts';
import { userType } from '../domain/scim/schema.ts';
import { errors, scimError } from '../errors.ts';
import type { Settings } from '../storage/directory-filter.ts';
import type { DirectoryUser } from '../storage/directory-users.ts';

/** Of every operation here: the role Provisioning has it. */
export const provision = { permission: 'Directory:Provision' } as const;
export const scimOnly = { rest: { none: 'SCIM' }, graphql: { none: 'SCIM' } } as const;

export const Body = Type.Unknown({ description: 'As RFC 7644 says' });
/** RFC 9110: of If-Match. */
export const versionField = { version: Type.Optional(Type.String({ maxLength: 200 })) };

export const Shown = strict({ id: Id, resource: Type.Unknown(), version: Type.String(), lastModified: Type.String() });

export function locationOf({ appUrl }: Pick<TenancyDeps, 'appUrl'>, organizationId: string): string {
  return `${appUrl}/scim/v2/${organizationId}${userType.endpoint}/`;
}

export function settingsOf(deps: Pick<TenancyDeps, 'appUrl'>, organizationId: string): Settings {
  const ids = [userType.schema, ...userType.extensions].map(({ id }) => id);
  const [core = '', ...extensions] = ids;
  const schemas = sql`array_remove(ARRAY[${core}::text, ${sql.join(
    extensions.map((id) => sql`CASE WHEN attributes ? ${id}::text THEN ${id}::text END`),
  )}], NULL)`;
  return { resourceType: userType.name, schemas, location: locationOf(deps, organizationId) };
}

export function versionOf({ version }: Pick<DirectoryUser, 'version'>): string {
  return `W/"${version}"`;
}

/** 412 when If-Match names another version. */
export function assertAsked(row: Pick<DirectoryUser, 'version'>, asked: string | undefined): void {
  if (asked === undefined || asked.trim() === '*') return;
  const tags = asked.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (!tags.includes(`"${row.version}"`)) throw failures.changedMeanwhile();
}

export function show(row: DirectoryUser, deps: Pick<TenancyDeps, 'appUrl'>) {
  const { id, organizationId, attributes, active, createdAt, updatedAt } = row;
  const version = versionOf(row);
  const meta = {
    resourceType: userType.name,
    created: createdAt,
    lastModified: updatedAt,
    location: locationOf(deps, organizationId) + id,
    version,
  };
  return { id, resource: { schemas: schemasOf(userType, attributes), id, ...attributes, active, meta }, version, lastModified: updatedAt };
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
