/** The form of a manifest: a tenant's access model as YAML, references by name or slug. */
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { parseDocument, type YAMLError } from 'yaml';
import { exitCodes, Failure } from '../failure.ts';

const strict = { additionalProperties: false };
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const longestName = 255;
/** The server judges its characters. What is too long for it is refused before anything changes. */
const Name = Type.Refine(
  Type.String({ minLength: 1, maxLength: longestName * 4 }),
  (name) => name.length <= longestName || [...graphemes.segment(name)].length <= longestName,
  () => `must not have more than ${longestName} characters`,
);
const Names = Type.Array(Name, { uniqueItems: true });
const Addresses = Type.Array(Type.String({ minLength: 1 }), { uniqueItems: true });
const Description = Type.Optional(Type.String());
const tags = Type.Optional(Names);
const Free = Type.Record(Type.String(), Type.Unknown());

const Tag = Type.Object({ name: Name, color: Type.String({ description: 'purple, blue, teal, gray, red, …' }) }, strict);
const Resource = Type.Object(
  {
    slug: Name,
    name: Name,
    description: Description,
    actions: Type.Optional(Names),
    isActive: Type.Optional(Type.Boolean()),
    identifier: Type.Optional(Type.String({ description: 'The address of the API that serves it' })),
    tags,
  },
  strict,
);
const Permission = Type.Object(
  {
    name: Name,
    resource: Type.String({ description: 'The slug of a resource' }),
    action: Name,
    condition: Type.Optional(Free),
    description: Description,
    tags,
  },
  strict,
);
const Group = Type.Object(
  { name: Name, description: Description, metadata: Type.Optional(Free), permissions: Type.Optional(Names), tags },
  strict,
);
const Role = Type.Object(
  {
    name: Name,
    description: Description,
    metadata: Type.Optional(Free),
    isGrantable: Type.Optional(Type.Boolean({ description: 'False: only customers whose grant names it may give it' })),
    groups: Type.Optional(Names),
    tags,
  },
  strict,
);
const App = Type.Object(
  {
    name: Name,
    type: Type.Optional(Type.Enum(['web', 'spa', 'native', 'machine'], { description: 'Never changes' })),
    redirectUris: Type.Optional(Addresses),
    postLogoutRedirectUris: Type.Optional(Addresses),
    scopes: Type.Optional(Names),
    grantTypes: Type.Optional(Names),
    enabledProviders: Type.Optional(Names),
    backchannelLogoutUri: Type.Optional(Type.String()),
    tokenEndpointAuthMethod: Type.Optional(Type.String()),
    jwksUri: Type.Optional(Type.String()),
    jwks: Type.Optional(Free),

    allowSignUp: Type.Optional(Type.Boolean()),
    isFirstParty: Type.Optional(Type.Boolean()),
    requireSecondFactor: Type.Optional(Type.Boolean()),
    requirePkce: Type.Optional(Type.Boolean({ description: 'False for type web only: requests without PKCE then need a nonce' })),
    dpopBoundAccessTokens: Type.Optional(Type.Boolean({ description: 'Token requests need a DPoP proof' })),
    idTokenSignedResponseAlg: Type.Optional(Type.Enum(['RS256', 'ES256'], { description: 'How its ID tokens are signed' })),
    actsInGrants: Type.Optional(Type.Boolean({ description: 'machine: acts for organizations that use the project, too' })),
    allowEmailCode: Type.Optional(Type.Boolean({ description: 'Whether people may sign in to it by a code that is mailed to them' })),
    allowOrganizationSignUp: Type.Optional(
      Type.Boolean({ description: 'Who has no organization that uses the project may make one as they sign in' }),
    ),
    mayAct: Type.Optional(
      Type.Array(Type.String(), { description: 'Names of web and machine apps here that may exchange its tokens, to act for its people' }),
    ),
    claims: Type.Optional(
      Type.Array(
        Type.Object({ name: Type.String(), source: Type.String(), in: Type.Enum(['idToken', 'userinfo', 'accessToken']) }, strict),
        { description: 'What its tokens say besides the standard claims' },
      ),
    ),
    role: Type.Optional(Type.String({ description: 'machine: the role that it acts with' })),
    signUpRole: Type.Optional(Type.String({ description: 'The role of people who sign up' })),
    tags,
  },
  strict,
);

const Grant = Type.Object(
  {
    organization: Type.Optional(Type.String({ minLength: 1, description: 'The customer: its id, or its short name where you can see it' })),
    email: Type.Optional(Type.String({ pattern: '^[^\\s@]+@[^\\s@]+$', description: 'In place of it: where the offer is mailed' })),
    roles: Type.Optional(Type.Union([Names, Type.Null()], { description: 'What the customer may give; null: all that are grantable' })),
    allowCustomRoles: Type.Optional(Type.Boolean()),
    maxMembers: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()], { description: 'null: any number' }),
    ),
    metadata: Type.Optional(Free),
    state: Type.Optional(Type.Enum(['active', 'suspended'], { description: 'Once the customer has accepted' })),
  },
  strict,
);

export const Manifest = Type.Object(
  {
    version: Type.Literal(1),
    tags: Type.Optional(Type.Array(Tag)),
    resources: Type.Optional(Type.Array(Resource)),
    permissions: Type.Optional(Type.Array(Permission)),
    groups: Type.Optional(Type.Array(Group)),
    roles: Type.Optional(Type.Array(Role)),
    apps: Type.Optional(Type.Array(App)),
    grants: Type.Optional(Type.Array(Grant)),
  },
  { ...strict, title: 'Tessera manifest' },
);
export type Manifest = Static<typeof Manifest>;
export type Entry = Readonly<Record<string, unknown>>;

const validator = Compile(Manifest);

/** Throws a Failure that names the line of YAML, or the path of what is wrong. */
export function readManifest(text: string, file: string): Manifest {
  const document = parseDocument(text, { prettyErrors: true });
  const [fault] = document.errors as readonly YAMLError[];
  if (fault !== undefined) throw new Failure(`${file}: ${fault.message}`, exitCodes.usage);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  if (validator.Check(value)) return value;
  // An unknown key has two errors: `boolean` at its own path, and this one, which knows its name.
  const faults = validator.Errors(value).filter(({ keyword }) => keyword !== 'boolean');
  const said = faults.slice(0, 5).map(({ instancePath, ...fault }) => `  ${pathOf(instancePath)} ${messageOf(fault)}`);
  throw new Failure(`${file} is no manifest (see \`tessera schema\`):\n${said.join('\n')}`, exitCodes.usage);
}

function pathOf(pointer: string): string {
  return pointer === '' ? 'the document' : pointer.slice(1).replaceAll('/', '.');
}

type Fault = { readonly keyword: string; readonly message: string; readonly params: object };

function messageOf({ keyword, message, params }: Fault): string {
  const listOf = (field: string) => [(params as Readonly<Record<string, unknown>>)[field]].flat().map(String).join(', ');
  if (keyword === 'additionalProperties') return `has an unknown key: ${listOf('additionalProperties')}`;
  if (keyword === 'required') return `lacks ${listOf('requiredProperties')}`;
  if (keyword === 'enum') return `must be one of ${listOf('allowedValues')}`;
  return keyword === 'const' ? `must be ${listOf('allowedValue')}` : message;
}
