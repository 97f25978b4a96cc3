/** What `tessera export --all` wrote, read for another installation: names in place of ids. */
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { exitCodes, Failure } from '../failure.ts';
import { type KindName, kinds, type Standing } from '../manifest/kinds.ts';
import { isId, toManifest } from '../manifest/plan.ts';
import { type Entry, type Manifest, readManifest } from '../manifest/schema.ts';
import type { Thing } from './pages.ts';

export type Person = { readonly email: string; readonly role: string };
export type Project = {
  readonly name: string;
  readonly description: string | null;
  readonly metadata: object;
  readonly manifest: Manifest;
};
export type Settings = { readonly name: string; readonly metadata: object; readonly security: object };

export type Exported = {
  readonly tenant: 'organization' | 'account';
  /** Undefined for an account. */
  readonly settings: Settings | undefined;
  /** Tags, permissions, groups and roles of the organization. */
  readonly model: Manifest;
  readonly projects: readonly Project[];
  readonly people: readonly Person[];
  /** What another installation cannot take over, each with its reason. */
  readonly left: readonly string[];
};

function readObject(path: string): Thing {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Thing;
  } catch (cause) {
    throw new Failure(`${path} cannot be read.`, exitCodes.usage, { cause });
  }
  throw new Failure(`${path} is no object.`, exitCodes.usage);
}

async function* readLines(folder: string, name: string): AsyncGenerator<Thing> {
  const path = join(folder, `${name}.ndjson`);
  if (!existsSync(path)) return;
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1;
    if (line === '') continue;
    try {
      yield JSON.parse(line) as Thing;
    } catch (cause) {
      throw new Failure(`${path}: line ${number} is no JSON.`, exitCodes.usage, { cause });
    }
  }
}

async function all(folder: string, name: string): Promise<Thing[]> {
  const things: Thing[] = [];
  for await (const thing of readLines(folder, name)) things.push(thing);
  return things;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const object = (value: unknown): Thing => (typeof value === 'object' && value !== null ? (value as Thing) : {});
const namesOf = (value: unknown): string[] => (Array.isArray(value) ? value.map((item) => text(object(item)['name'])) : []);

/** Throws for a folder that is no whole export. */
export async function readExported(folder: string): Promise<Exported> {
  const contents = existsSync(join(folder, 'contents.json')) ? readObject(join(folder, 'contents.json')) : undefined;
  const [tenant] = text(contents?.['scope']).split(':');
  if (contents?.['version'] !== 1 || (tenant !== 'organization' && tenant !== 'account'))
    throw new Failure(`${folder} is no whole export: \`tessera export --all\` writes contents.json at its end.`, exitCodes.usage);
  const isOrganization = tenant === 'organization';
  const left: string[] = [];
  const roles = await all(folder, 'roles');
  const projects: Project[] = [];
  for await (const project of readLines(folder, 'projects')) projects.push(await readProject(folder, project, roles, left));
  const { people, alone } = await readPeople(folder, roles);
  left.push(...alone);
  await leaveWebhooks(folder, '', left);
  for await (const { domain } of readLines(folder, 'domains'))
    left.push(`domain ${text(domain)}, because its record proves it in the other installation`);
  return {
    tenant,
    settings: isOrganization ? settingsOf(readObject(join(folder, 'organization.json'))) : undefined,
    model: isOrganization ? await modelOf(folder, roles, left) : { version: 1 },
    projects,
    people,
    left,
  };
}

function settingsOf(organization: Thing): Settings {
  return { name: text(organization['name']), metadata: object(organization['metadata']), security: object(organization['security']) };
}

/** Of the organization itself, in the form that a project's manifest has. */
async function modelOf(folder: string, roles: readonly Thing[], left: string[]): Promise<Manifest> {
  const lists: Partial<Record<KindName, readonly Entry[]>> = {
    tags: (await all(folder, 'tags')).map(({ name, color }) => ({ name, color })),
    permissions: (await all(folder, 'permissions')).map(({ name, action, condition, description, resource, tags }) => ({
      name,
      action,
      condition,
      description,
      resource: object(resource)['slug'],
      tags: namesOf(tags),
    })),
    groups: (await all(folder, 'groups')).map(({ name, description, metadata, permissions, tags }) => ({
      name,
      description,
      metadata,
      permissions: namesOf(permissions),
      tags: namesOf(tags),
    })),
    roles: roles
      .filter(({ isBuiltIn }) => isBuiltIn !== true)
      .map(({ name, description, metadata, groups, tags }) => ({
        name,
        description,
        metadata,
        groups: namesOf(groups),
        tags: namesOf(tags),
      })),
  };
  const standing = (entry: Entry) => [text(entry['name']), { id: '', isBuiltIn: false, version: { updatedAt: '' }, entry }] as const;
  for (const [kind, entries] of Object.entries(lists)) {
    const names = entries.map((entry) => text(entry['name']));
    for (const twice of new Set(names.filter((name, index) => names.indexOf(name) !== index)))
      left.push(`all but one of the ${kind} named ${twice}: names tell them apart`);
  }
  const state = Object.fromEntries(kinds.map(({ name }) => [name, new Map((lists[name] ?? []).map(standing))])) as Record<
    KindName,
    Map<string, Standing>
  >;
  return readManifest(JSON.stringify(toManifest(state)), folder);
}

/** By the invitation's address: only it is the same person in both installations. */
async function readPeople(folder: string, roles: readonly Thing[]): Promise<{ people: Person[]; alone: string[] }> {
  const alone: string[] = [];
  const byAddress = new Map<string, string>();
  const roleNames = new Map(roles.map(({ id, name }) => [text(id), text(name)]));
  const add = (email: unknown, role: string, who: string) => {
    if (text(email) === '') alone.push(`${who}: has no address to be invited by`);
    else if (role === '' || role === owner) alone.push(`${text(email)}, ${role || 'without a role'}: this role is given by no invitation`);
    else byAddress.set(text(email).toLowerCase(), role);
  };
  for await (const { email, name, role } of readLines(folder, 'members')) add(email, text(object(role)['name']), `member ${text(name)}`);
  for await (const { email, roleId, status } of readLines(folder, 'invitations'))
    if (status === 'pending') add(email, roleNames.get(text(roleId)) ?? '', 'invitation');
  return { people: [...byAddress].map(([email, role]) => ({ email, role })), alone };
}
const owner = 'Owner';

async function leaveWebhooks(folder: string, prefix: string, left: string[]): Promise<void> {
  for await (const { url } of readLines(folder, 'webhooks')) left.push(`${prefix}webhook ${text(url)}, because its secret is not known`);
}

async function readProject(folder: string, project: Thing, roles: readonly Thing[], left: string[]): Promise<Project> {
  const { id, name, description, metadata } = project;
  if (!isId(text(id))) throw new Failure(`${folder}: a project has an id that is none.`, exitCodes.usage);
  const own = join(folder, 'projects', text(id));
  const file = join(own, 'tessera.yaml');
  if (!existsSync(file)) left.push(`${text(name)}: its roles, resources and apps, because tessera.yaml is missing`);
  for await (const key of readLines(own, 'keys')) left.push(`${text(name)}: API key ${text(key['name'])}, because its secret is not known`);
  await leaveWebhooks(own, `${text(name)}: `, left);
  let people = 0;
  for await (const _person of readLines(own, 'users')) people += 1;
  if (people > 0) left.push(`${text(name)}: ${people} people of the project; they join it by signing in to its apps`);
  const manifest: Manifest = existsSync(file) ? readManifest(readFileSync(file, 'utf8'), file) : { version: 1 };
  return {
    name: text(name),
    description: description === null ? null : text(description),
    metadata: object(metadata),
    manifest: named(manifest, roles, text(name), left),
  };
}

/** What refers to things above the project, by ids of the other installation, is left out. */
function named(manifest: Manifest, roles: readonly Thing[], project: string, left: string[]): Manifest {
  const names = new Map(roles.map(({ id, name }) => [text(id), text(name)]));
  const isForeign = (value: unknown) => [value].flat().some((one) => isId(text(one)));
  const entries = kinds.map((kind) => {
    const given = (manifest[kind.name] ?? []) as readonly Entry[];
    const own = given.map((entry) =>
      Object.fromEntries(
        Object.entries(entry).filter(([field, value]) => {
          if (!(field in kind.references) || !isForeign(value)) return true;
          left.push(`${project}: ${field} ${names.get(text(value)) ?? ''} of ${text(entry[kind.key])}, which is not of the project`);
          return false;
        }),
      ),
    );
    return [kind.name, own] as const;
  });
  return { ...manifest, ...Object.fromEntries(entries.filter(([, own]) => own.length > 0)) };
}
