import type { Command } from 'commander';
import { type Context, type Globals, openContext } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { all } from '../pages.ts';

type Row = Readonly<Record<string, unknown>>;
type List = {
  readonly name: string;
  readonly about: string;
  readonly columns: readonly string[];
  readonly empty: string;
  readonly rows: (context: Context) => AsyncIterable<Row>;
};

const searchable = { limit: 100 } as const;

async function* organizations({ client, caller }: Context): AsyncIterable<Row> {
  if (caller === 'service account')
    throw new Failure(
      'A service account is in no organization as a person is. Name the one that it belongs to: --scope organization:<id>.',
    );
  const { accounts } = await client.getMe();
  for (const { id } of accounts)
    for await (const organization of client.listOrganizations({ scope: { tenant: 'account', id }, ...searchable }))
      yield { ...organization, scope: `organization:${organization.id}` };
}

async function* projects({ client, scope }: Context): AsyncIterable<Row> {
  const { tenant, id } = scope();
  if (tenant !== 'account' && tenant !== 'organization')
    throw new Failure('Projects are of an account or an organization.', exitCodes.usage);
  for await (const project of client.listProjects({ scope: { tenant, id }, ...searchable }))
    yield { ...project, scope: `${tenant}Project:${id}:${project.id}` };
}

async function* members({ client, scope }: Context): AsyncIterable<Row> {
  const { tenant, id } = scope();
  if (tenant !== 'organization') throw new Failure('Members are of an organization: --scope organization:<id>.', exitCodes.usage);
  for await (const { role, ...member } of client.listOrganizationMembers({ scope: { tenant, id }, ...searchable }))
    yield { ...member, role: role?.name ?? '', status: member.status ?? 'accepted' };
}

async function* roles({ client, scope }: Context): AsyncIterable<Row> {
  for await (const { groups = [], ...role } of client.listRoles({ scope: scope(), relations: ['groups'], ...searchable }))
    yield { ...role, groups: groups.map(({ name }) => name).join(', ') };
}

async function* keys({ client, projectScope }: Context): AsyncIterable<Row> {
  for await (const { role, ...key } of client.listApiKeys({ scope: projectScope(), relations: ['role'], ...searchable }))
    yield { ...key, role: role?.name ?? '', state: stateOf(key) };
}

function stateOf({ isRevoked, expiresAt }: { readonly isRevoked: boolean; readonly expiresAt: string | null }): string {
  if (isRevoked) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'active';
}

const lists: readonly List[] = [
  {
    name: 'orgs',
    about: 'the organizations that you are in',
    columns: ['scope', 'name', 'slug'],
    empty: 'You are in no organization.',
    rows: organizations,
  },
  {
    name: 'projects',
    about: 'the projects of an account or an organization',
    columns: ['scope', 'name', 'slug'],
    empty: 'There is no project.',
    rows: projects,
  },
  {
    name: 'members',
    about: 'members and invitations of an organization',
    columns: ['id', 'type', 'name', 'email', 'role', 'status'],
    empty: 'There is no member.',
    rows: members,
  },
  { name: 'roles', about: 'roles and their groups', columns: ['id', 'name', 'groups'], empty: 'There is no role.', rows: roles },
];

export function addLists(program: Command): void {
  for (const { name, about, columns, empty, rows } of lists)
    program
      .command(name)
      .description(about)
      .action(async (_: object, command: Command) => {
        const context = openContext(command.optsWithGlobals<Globals>());
        context.output.table(await all(rows(context)), columns, empty);
      });

  const key = program.command('keys').description('API keys of a project');
  key
    .command('list', { isDefault: true })
    .description('all keys')
    .action(async (_: object, command: Command) => {
      const context = openContext(command.optsWithGlobals<Globals>());
      context.output.table(await all(keys(context)), ['id', 'name', 'role', 'state', 'lastUsedAt', 'expiresAt'], 'There is no API key.');
    });
  key
    .command('create')
    .description('a new key; its secret is shown once')
    .requiredOption('--name <name>', 'what it is for')
    .option('--role <name>', 'the role that it acts with; without one it may do what you may do')
    .option('--expires <time>', 'when it ends, as 2027-01-31T00:00:00Z')
    .action(async ({ name, role, expires }: { name: string; role?: string; expires?: string }, command: Command) => {
      const { client, output, projectScope } = openContext(command.optsWithGlobals<Globals>());
      const scope = projectScope();
      const roleId = role === undefined ? undefined : await findRole(client, scope, role);
      const made = await client.createApiKey({ scope, name, ...(roleId && { roleId }), ...(expires && { expiresAt: expires }) });
      output.note('The secret is shown here and never again.');
      output.answer(
        made,
        `TESSERA_CLIENT_ID=${made.clientId}\nTESSERA_CLIENT_SECRET=${made.clientSecret}\nTESSERA_SCOPE=${scope.tenant}:${scope.id}`,
      );
    });
  key
    .command('revoke')
    .description('end a key and its tokens at once')
    .argument('<id>')
    .action(async (id: string, _: object, command: Command) => {
      const { client, output, projectScope } = openContext(command.optsWithGlobals<Globals>());
      if (!/^[0-9a-f-]{36}$/.test(id)) throw new Failure(`${id} is no id of a key. See \`tessera keys\`.`, exitCodes.usage);
      output.answer(await client.revokeApiKey({ id, scope: projectScope() }), `Key ${id} is revoked.`);
    });
}

/** A role of the project, or else of the account or organization above it. */
async function findRole(client: Context['client'], scope: ReturnType<Context['projectScope']>, name: string): Promise<string> {
  const [parentId = ''] = scope.id.split(':');
  const above = { tenant: scope.tenant === 'organizationProject' ? 'organization' : 'account', id: parentId } as const;
  for (const place of [scope, above]) {
    const found = await all(client.listRoles({ scope: place, search: name, ...searchable }));
    const [role, ...others] = found.filter((each) => each.name === name);
    if (others.length > 0) throw new Failure(`${others.length + 1} roles are named ${name}. Rename one.`);
    if (role !== undefined) return role.id;
  }
  throw new Failure(`No role is named ${name}. See \`tessera roles\`.`);
}
