import type { Output } from '@tessera/client';
import { Argument, type Command } from 'commander';
import { type Context, type Globals, openContext } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { all } from '../pages.ts';
import { addAdopt } from './adopt.ts';

type Row = Readonly<Record<string, unknown>>;

function idOf(id: string): string {
  if (!/^[0-9a-f-]{36}$/.test(id)) throw new Failure(`${id} is no id of a grant. See \`tessera grants\`.`, exitCodes.usage);
  return id;
}

/** The project, where its owner is. */
function productOf({ scope }: Context) {
  const { tenant, id } = scope();
  if (tenant === 'organizationProject') return { tenant, id };
  throw new Failure('This needs a project of an organization: --scope organizationProject:<organization>:<project>.', exitCodes.usage);
}

/** The customer's organization. */
function customerOf({ scope }: Context) {
  const { tenant, id } = scope();
  if (tenant === 'organization') return { tenant, id };
  throw new Failure('This needs your organization: --scope organization:<id>.', exitCodes.usage);
}

/** The scope of the project asks as its owner, that of an organization as a customer. */
function sideOf({ scope }: Context) {
  const { tenant, id } = scope();
  if (tenant === 'organizationProject' || tenant === 'organization') return { tenant, id };
  throw new Failure(
    'Grants are of a project (--scope organizationProject:<organization>:<project>) or of an organization.',
    exitCodes.usage,
  );
}

async function* grants(context: Context): AsyncIterable<Row> {
  const scope = sideOf(context);
  for await (const { organization, project, ownerOrganization, ...grant } of context.client.listProjectGrants({ scope, limit: 100 }))
    yield {
      ...grant,
      organization: organization?.name ?? grant.email ?? '',
      project: project.name,
      owner: ownerOrganization.name,
      people: grant.memberCount,
      roles: grant.roles.map(({ name }) => name).join(', '),
    };
}

async function* members(context: Context, id: string): AsyncIterable<Row> {
  let after: string | null = null;
  do {
    const page: Output<'listProjectGrantMembers'> = await context.client.listProjectGrantMembers({
      scope: productOf(context),
      id,
      limit: 100,
      ...(after === null ? {} : { after }),
    });
    for (const { roles, ...member } of page.members) yield { ...member, roles: roles.map(({ name }) => name).join(', ') };
    after = page.nextAfter;
  } while (after !== null);
}

/** Names of the project's roles, or their ids. */
async function roleIdsOf(context: Context, names: readonly string[]): Promise<string[]> {
  const known = await all(context.client.listRoles({ scope: productOf(context), limit: 100 }));
  return names.map((name) => {
    const found = known.filter((role) => role.name === name || role.id === name);
    const [role] = found;
    if (found.length > 1) throw new Failure(`${found.length} roles are named ${name}. Give the id.`);
    if (role === undefined) throw new Failure(`No role is named ${name}. See \`tessera roles\`.`);
    return role.id;
  });
}

type Terms = { readonly organization?: string; readonly email?: string; readonly roles?: string[]; readonly max?: string };
type Step = {
  readonly name: string;
  readonly about: string;
  readonly done: string;
  readonly run: (context: Context, id: string) => Promise<object>;
};

const steps: readonly Step[] = [
  {
    name: 'resume',
    about: 'let a customer use the project again',
    done: 'is active',
    run: (context, id) => context.client.resumeProjectGrant({ scope: productOf(context), id }),
  },
  {
    name: 'end',
    about: 'end the use of the project by a customer, or withdraw an offer',
    done: 'has ended',
    run: (context, id) => context.client.endProjectGrant({ scope: productOf(context), id }),
  },
  {
    name: 'accept',
    about: 'accept an offer for your organization; needs an Owner',
    done: 'is active',
    run: (context, id) => context.client.acceptProjectGrant({ scope: customerOf(context), id }),
  },
  {
    name: 'decline',
    about: 'decline an offer to your organization',
    done: 'is declined',
    run: (context, id) => context.client.declineProjectGrant({ scope: customerOf(context), id }),
  },
  {
    name: 'leave',
    about: 'end the use of a project by your organization; needs an Owner',
    done: 'has ended',
    run: (context, id) => context.client.leaveProjectGrant({ scope: customerOf(context), id }),
  },
];

export function addGrants(program: Command): void {
  const grant = program.command('grants').description('projects that other organizations use');
  const contextOf = (command: Command) => openContext(command.optsWithGlobals<Globals>());
  grant
    .command('list', { isDefault: true })
    .description('in a project: its customers and offers; in an organization: what it uses and is offered')
    .action(async (_: object, command: Command) => {
      const context = contextOf(command);
      const isOwner = sideOf(context).tenant === 'organizationProject';
      const columns = ['id', 'status', isOwner ? 'organization' : 'project', ...(isOwner ? [] : ['owner']), 'people', 'roles'];
      context.output.table(await all(grants(context)), columns, 'There is no grant.');
    });
  grant
    .command('create')
    .description('offer the project to an organization, or by mail to an Owner of one')
    .option('--organization <id>', 'to whom')
    .option('--email <address>', 'where the offer is mailed')
    .option('--roles <names...>', 'the roles that the customer may give; without them all that are grantable')
    .option('--max <people>', 'how many people may hold a role')
    .action(async ({ organization, email, roles, max }: Terms, command: Command) => {
      const context = contextOf(command);
      if ((organization === undefined) === (email === undefined)) throw new Failure('Give --organization or --email.', exitCodes.usage);
      const to = organization === undefined ? { email: email ?? '' } : { organizationId: organization };
      const terms = {
        ...(roles === undefined ? {} : { roleIds: await roleIdsOf(context, roles) }),
        ...(max === undefined ? {} : { maxMembers: Number(max) }),
      };
      const made = await context.client.createProjectGrant({ scope: productOf(context), ...to, ...terms });
      if (!made.isMailed) context.output.note(`${made.email} wants no invitations: nothing was sent. Tell the person yourself.`);
      context.output.answer(made, `Grant ${made.id} is offered.`);
    });
  grant
    .command('suspend')
    .description('the people of a customer can do nothing in the project until it is resumed')
    .argument('<id>')
    .option('--reason <text>', 'what the customer reads')
    .action(async (id: string, { reason }: { reason?: string }, command: Command) => {
      const context = contextOf(command);
      const why = reason === undefined ? {} : { reason };
      const suspended = await context.client.suspendProjectGrant({ scope: productOf(context), id: idOf(id), ...why });
      context.output.answer(suspended, `Grant ${id} is suspended.`);
    });
  for (const { name, about, done, run } of steps)
    grant
      .command(name)
      .description(about)
      .addArgument(new Argument('<id>'))
      .action(async (id: string, _: object, command: Command) => {
        const context = contextOf(command);
        context.output.answer(await run(context, idOf(id)), `Grant ${id} ${done}.`);
      });
  addAdopt(grant);
  grant
    .command('members')
    .description('people of a customer with a role in the project')
    .argument('<id>')
    .action(async (id: string, _: object, command: Command) => {
      const context = contextOf(command);
      context.output.table(await all(members(context, idOf(id))), ['userId', 'name', 'email', 'roles'], 'No one has a role.');
    });
}
