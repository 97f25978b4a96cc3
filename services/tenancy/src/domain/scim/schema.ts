/** The attributes of RFC 7643, for the resources that are served here. */

export type AttributeType = 'string' | 'boolean' | 'dateTime' | 'reference' | 'complex';

export type Attribute = {
  readonly name: string;
  readonly type: AttributeType;
  readonly description: string;
  readonly multiValued?: true;
  readonly required?: true;
  readonly caseExact?: true;
  readonly mutability?: 'readOnly' | 'immutable';
  readonly returned?: 'always';
  readonly uniqueness?: 'server';
  readonly referenceTypes?: readonly string[];
  readonly canonicalValues?: readonly string[];
  readonly subAttributes?: readonly Attribute[];
};

export type Schema = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
};

/** A type of resource: its schema, the extensions, and where it is served. */
export type ResourceType = {
  readonly name: string;
  readonly endpoint: `/${string}`;
  readonly description: string;
  readonly schema: Schema;
  readonly extensions: readonly Schema[];
};

function text(name: string, description: string, more: Partial<Attribute> = {}): Attribute {
  return { name, type: 'string', description, ...more };
}

function complex(name: string, description: string, subAttributes: readonly Attribute[], more: Partial<Attribute> = {}): Attribute {
  return { name, type: 'complex', description, subAttributes, ...more };
}

const primary: Attribute = { name: 'primary', type: 'boolean', description: 'Whether this value is preferred; at most one is' };

function list(name: string, description: string, canonicalValues?: readonly string[], value: Partial<Attribute> = {}): Attribute {
  const type = text('type', 'What it is used for', canonicalValues === undefined ? {} : { canonicalValues });
  const subAttributes = [text('value', 'The value', value), text('display', 'For people to read'), type, primary];
  return complex(name, description, subAttributes, { multiValued: true });
}

/** Attributes of every resource (RFC 7643, section 3.1). */
export const commonAttributes: readonly Attribute[] = [
  text('schemas', 'The schemas of the resource', { type: 'reference', multiValued: true, caseExact: true, returned: 'always' }),
  text('id', 'Made here, the same for the life of the resource', { caseExact: true, mutability: 'readOnly', returned: 'always' }),
  text('externalId', 'The id in the directory', { caseExact: true }),
  complex(
    'meta',
    'About the resource',
    [
      text('resourceType', 'The type of the resource', { caseExact: true, mutability: 'readOnly' }),
      { name: 'created', type: 'dateTime', description: 'When it was made', mutability: 'readOnly' },
      { name: 'lastModified', type: 'dateTime', description: 'When it was changed last', mutability: 'readOnly' },
      text('location', 'Its address', { type: 'reference', caseExact: true, mutability: 'readOnly' }),
      text('version', 'Its version, as in ETag', { caseExact: true, mutability: 'readOnly' }),
    ],
    { mutability: 'readOnly' },
  ),
];

export const userSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A person of the organization',
  attributes: [
    text('userName', 'The name in the directory. It changes no way to sign in', { required: true, uniqueness: 'server' }),
    complex('name', 'The parts of the name', [
      text('formatted', 'The whole name'),
      text('familyName', 'The last name'),
      text('givenName', 'The first name'),
      text('middleName', 'Further first names'),
      text('honorificPrefix', 'Before the name'),
      text('honorificSuffix', 'After the name'),
    ]),
    text('displayName', 'The name as it is shown'),
    text('nickName', 'As the person is called'),
    text('profileUrl', 'A page about the person', { type: 'reference', referenceTypes: ['external'], caseExact: true }),
    text('title', 'Such as "Vice President"'),
    text('userType', 'Such as "Contractor" or "Employee"'),
    text('preferredLanguage', 'As in Accept-Language'),
    text('locale', 'For dates and numbers'),
    text('timezone', 'As in the database of time zones'),
    { name: 'active', type: 'boolean', description: 'False takes the person out of the organization at once' },
    list('emails', 'Addresses; the primary one, else the one for work, else the first is invited', ['work', 'home', 'other']),
    list('phoneNumbers', 'Telephone numbers', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    list('ims', 'Addresses of messengers'),
    list('photos', 'Addresses of pictures', ['photo', 'thumbnail'], { type: 'reference', referenceTypes: ['external'], caseExact: true }),
    complex(
      'addresses',
      'Postal addresses',
      [
        text('formatted', 'The whole address'),
        text('streetAddress', 'Street and number'),
        text('locality', 'City'),
        text('region', 'State or region'),
        text('postalCode', 'Postal code'),
        text('country', 'Two letters of ISO 3166-1'),
        text('type', 'What it is used for', { canonicalValues: ['work', 'home', 'other'] }),
        primary,
      ],
      { multiValued: true },
    ),
    complex(
      'groups',
      'The groups that the person is in',
      [
        text('value', 'The id of the group', { mutability: 'readOnly' }),
        text('$ref', 'The address of the group', { type: 'reference', referenceTypes: ['Group'], mutability: 'readOnly', caseExact: true }),
        text('display', 'The name of the group', { mutability: 'readOnly' }),
        text('type', 'Always direct', { canonicalValues: ['direct'], mutability: 'readOnly' }),
      ],
      { multiValued: true, mutability: 'readOnly' },
    ),
    list('entitlements', 'Kept as the directory sends them; they give nothing here'),
    list('roles', 'Kept as the directory sends them; they give nothing here'),
  ],
};

export const enterpriseUserSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  name: 'EnterpriseUser',
  description: 'A person in a company',
  attributes: [
    text('employeeNumber', 'The number of the employee'),
    text('costCenter', 'The cost center'),
    text('organization', 'The organization'),
    text('division', 'The division'),
    text('department', 'The department'),
    complex('manager', 'The manager', [
      text('value', 'The id of the manager'),
      text('$ref', 'The address of the manager', { type: 'reference', referenceTypes: ['User'], caseExact: true }),
      text('displayName', 'The name of the manager', { mutability: 'readOnly' }),
    ]),
  ],
};

export const userType: ResourceType = {
  name: 'User',
  endpoint: '/Users',
  description: userSchema.description,
  schema: userSchema,
  extensions: [enterpriseUserSchema],
};

export const groupSchema: Schema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  name: 'Group',
  description: 'A group of people. An administrator decides which roles it gives',
  attributes: [
    text('displayName', 'The name of the group', { required: true }),
    complex(
      'members',
      'The people in the group',
      [
        text('value', 'The id of the person', { mutability: 'immutable', caseExact: true }),
        text('$ref', 'The address of the person', {
          type: 'reference',
          referenceTypes: ['User'],
          mutability: 'immutable',
          caseExact: true,
        }),
        text('type', 'Always User', { canonicalValues: ['User'], mutability: 'immutable' }),
        text('display', 'The userName of the person', { mutability: 'readOnly' }),
      ],
      { multiValued: true },
    ),
  ],
};

export const groupType: ResourceType = {
  name: 'Group',
  endpoint: '/Groups',
  description: groupSchema.description,
  schema: groupSchema,
  extensions: [],
};

/** Every type that is served. A further one is added here, and in the transport's table. */
export const resourceTypes: readonly ResourceType[] = [userType, groupType];

/** An attribute, or a sub-attribute of one, and the extension that it belongs to. */
export type Target = {
  readonly extension: string | undefined;
  /** Undefined: the whole extension. */
  readonly attribute: Attribute | undefined;
  readonly sub: Attribute | undefined;
};

/** Names are compared without case (RFC 7643, section 2.1). */
export function attributeIn(attributes: readonly Attribute[], name: string): Attribute | undefined {
  const lower = name.toLowerCase();
  return attributes.find((attribute) => attribute.name.toLowerCase() === lower);
}

/**
 * What a path without a filter names (RFC 7644, section 3.10). Names are compared without case.
 * Undefined for what the schemas do not have.
 */
export function findTarget({ schema, extensions }: ResourceType, path: string): Target | undefined {
  const lower = path.toLowerCase();
  for (const { id, attributes } of [schema, ...extensions]) {
    const isExtension = id !== schema.id;
    if (isExtension && lower === id.toLowerCase()) return { extension: id, attribute: undefined, sub: undefined };
    if (lower.startsWith(`${id.toLowerCase()}:`)) return within(attributes, isExtension ? id : undefined, path.slice(id.length + 1));
  }
  return within(schema.attributes, undefined, path);
}

function within(attributes: readonly Attribute[], extension: string | undefined, path: string): Target | undefined {
  const [name = '', subName, ...more] = path.split('.');
  const attribute = attributeIn(attributes, name) ?? (extension === undefined ? attributeIn(commonAttributes, name) : undefined);
  if (attribute === undefined || more.length > 0) return undefined;
  if (subName === undefined) return { extension, attribute, sub: undefined };
  const sub = subAttributeOf(attribute, subName);
  return sub && { extension, attribute, sub };
}

export function subAttributeOf({ subAttributes = [] }: Attribute, name: string): Attribute | undefined {
  return attributeIn(subAttributes, name);
}

/** As /Schemas shows it (RFC 7643, section 7). */
export function describeAttribute(attribute: Attribute): object {
  const { name, type, description, multiValued = false, required = false, caseExact = false, subAttributes, ...more } = attribute;
  const { mutability = 'readWrite', returned = 'default', uniqueness = 'none', referenceTypes, canonicalValues } = more;
  const ofText = type === 'string' || type === 'reference' ? { caseExact, uniqueness } : {};
  return {
    name,
    type,
    multiValued,
    description,
    required,
    ...ofText,
    mutability,
    returned,
    ...(referenceTypes === undefined ? {} : { referenceTypes }),
    ...(canonicalValues === undefined ? {} : { canonicalValues }),
    ...(subAttributes === undefined ? {} : { subAttributes: subAttributes.map(describeAttribute) }),
  };
}
