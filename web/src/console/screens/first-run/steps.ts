import type { Input, OperationName, Output } from '@tessera/client';

/** What the steps have made so far, and what one may choose oneself. */
export type Values = {
  readonly email?: string;
  readonly myId?: string;
  /** The caller has no account that can own organizations yet. */
  readonly needsAccount?: boolean;
  readonly accountId?: string;
  readonly organizationId?: string;
  readonly projectId?: string;
  readonly resource?: string;
  readonly action?: string;
  readonly permissionIds?: readonly string[];
  readonly groupId?: string;
  readonly roleId?: string;
  /** The roles that the caller has in the project already. */
  readonly myRoleIds?: readonly string[];
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The name that the person typed in this step. */
  readonly name?: string;
};

/** One request of a step: the source of what the console sends and of every line that it shows. */
export type Call = {
  readonly operation: OperationName;
  readonly input: object;
  /** The field in GraphQL, where it is called otherwise; and what it returns. */
  readonly field?: string;
  readonly kind: 'query' | 'mutation';
  readonly select: string;
  /** The constant in a script. */
  readonly result: string;
  /** For programs only: the console does not send it. */
  readonly isForPrograms?: boolean;
  /** What later steps need of the answer. */
  keep(output: unknown): Values;
};

export const stepNames = ['organization', 'project', 'resource', 'role', 'person', 'key', 'app', 'decision'] as const;
export type StepName = (typeof stepNames)[number];

export const suggestedNames: Readonly<Partial<Record<StepName, string>>> = {
  organization: 'Acme',
  project: 'Web shop',
  resource: 'Invoice',
  role: 'Accountant',
  person: 'Grace Hopper',
  key: 'Nightly job',
  app: 'Shop',
};

type Typed<Name extends OperationName> = Omit<Call, 'operation' | 'input' | 'keep'> & {
  readonly operation: Name;
  readonly input: Input<Name>;
  keep?(output: Output<Name>): Values;
};

function call<Name extends OperationName>(one: Typed<Name>): Call {
  return { keep: () => ({}), ...one };
}

/** Signs a program in: what the lines of every step need first. */
export function signIn({ email = 'EMAIL' }: Values): Call {
  return call({
    operation: 'login',
    kind: 'mutation',
    result: 'signedIn',
    select: 'accessToken',
    input: { provider: 'email', providerId: email, providerData: { password: 'PASSWORD' } },
  });
}

/** The requests of a step, in order. A value that is not known yet is a name in capitals. */
export function callsOf(step: StepName, values: Values): readonly Call[] {
  return builders[step](values, values.name ?? suggestedNames[step] ?? '');
}

function organizationOf({ organizationId = 'ORGANIZATION_ID' }: Values) {
  return { tenant: 'organization', id: organizationId } as const;
}

function projectOf({ organizationId = 'ORGANIZATION_ID', projectId = 'PROJECT_ID' }: Values) {
  return { tenant: 'organizationProject', id: `${organizationId}:${projectId}` } as const;
}

/** What a resource is called in decisions: lower case, words joined by hyphens. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return slug.replace(/^-|-$/g, '') || 'thing';
}

const firstAction = 'read';
const builders: Readonly<Record<StepName, (values: Values, name: string) => readonly Call[]>> = {
  organization: ({ needsAccount = false, accountId = 'ACCOUNT_ID' }, name) => [
    ...(needsAccount
      ? [
          call({
            operation: 'createSecondaryAccount',
            kind: 'mutation',
            result: 'mine',
            input: {},
            field: 'createMySecondaryAccount',
            select: 'account { id }',
            keep: ({ account }) => ({ accountId: account.id }),
          }),
        ]
      : []),
    call({
      operation: 'createOrganization',
      kind: 'mutation',
      result: 'organization',
      select: 'id name',
      input: { scope: { tenant: 'account', id: accountId }, name },
      keep: ({ id }) => ({ organizationId: id }),
    }),
  ],
  project: (values, name) => [
    call({
      operation: 'createProject',
      kind: 'mutation',
      result: 'project',
      select: 'id name',
      input: { scope: organizationOf(values), name },
      keep: ({ id }) => ({ projectId: id }),
    }),
  ],
  resource: (values, name) => [
    call({
      operation: 'createResource',
      kind: 'mutation',
      result: 'resource',
      select: 'id slug actions permissions { id }',
      input: { scope: projectOf(values), name, slug: slugOf(name), actions: [firstAction, 'approve'], createPermissions: true },
      keep: ({ slug, actions, permissions }) => ({
        resource: slug,
        action: actions[0] ?? firstAction,
        permissionIds: permissions?.map(({ id }) => id) ?? [],
      }),
    }),
  ],
  role: (values, name) => {
    const { permissionIds = ['PERMISSION_ID'], groupId = 'GROUP_ID' } = values;
    const { roleId = 'ROLE_ID', myId = 'USER_ID', myRoleIds = [] } = values;
    return [
      call({
        operation: 'createGroup',
        kind: 'mutation',
        result: 'group',
        select: 'id name',
        input: { scope: projectOf(values), name, permissionIds: [...permissionIds] },
        keep: ({ id }) => ({ groupId: id }),
      }),
      call({
        operation: 'createRole',
        kind: 'mutation',
        result: 'role',
        select: 'id name',
        input: { scope: projectOf(values), name, groupIds: [groupId] },
        keep: ({ id }) => ({ roleId: id }),
      }),
      call({
        operation: 'updateUser',
        kind: 'mutation',
        result: 'me',
        select: 'id name',
        input: { scope: projectOf(values), id: myId, roleIds: [...myRoleIds, roleId] },
      }),
    ];
  },
  person: (values, name) => [
    call({
      operation: 'createUser',
      kind: 'mutation',
      result: 'person',
      select: 'id name',
      input: { scope: projectOf(values), name, roleIds: [values.roleId ?? 'ROLE_ID'] },
    }),
  ],
  key: (values, name) => [
    call({
      operation: 'createApiKey',
      kind: 'mutation',
      result: 'key',
      select: 'id clientId clientSecret',
      input: { scope: projectOf(values), name, roleId: values.roleId ?? 'ROLE_ID' },
      keep: ({ clientId, clientSecret }) => ({ clientId, clientSecret }),
    }),
    call({
      operation: 'exchangeApiKey',
      kind: 'mutation',
      result: 'token',
      select: 'accessToken expiresIn',
      isForPrograms: true,
      input: {
        clientId: values.clientId ?? 'CLIENT_ID',
        clientSecret: values.clientSecret ?? 'CLIENT_SECRET',
        scope: projectOf(values),
      },
    }),
  ],
  app: (values, name) => [
    call({
      operation: 'createProjectApp',
      kind: 'mutation',
      result: 'app',
      select: 'id clientId',
      input: {
        scope: projectOf(values),
        name,
        type: 'spa',
        redirectUris: ['http://localhost:5173/signed-in'],
        scopes: [`${values.resource ?? 'RESOURCE'}:${values.action ?? firstAction}`],
      },
    }),
  ],
  decision: (values) => [
    call({
      operation: 'isAuthorized',
      kind: 'query',
      result: 'decision',
      select: 'authorized reason matchedPermission { name role { name } group { name } }',
      input: {
        scope: projectOf(values),
        permission: { resource: values.resource ?? 'RESOURCE', action: values.action ?? firstAction },
      },
    }),
  ],
};
