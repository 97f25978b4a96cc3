/** A tenant whole: everything that the API shows of it, in one folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TesseraClient } from '@tessera/client';
import { stringify } from 'yaml';
import type { Scope } from '../context.ts';
import { exitCodes, Failure } from '../failure.ts';
import { isId, readState, toManifest } from '../manifest/plan.ts';
import type { Patience } from '../patience.ts';
import { openFolder, type Written, writeList, writeObject } from './folder.ts';
import {
  type AccountScope,
  auditOf,
  type OrganizationScope,
  organizationLists,
  type ProjectScope,
  projectLists,
  projectsOf,
} from './lists.ts';

export type WholeOptions = {
  readonly client: TesseraClient;
  readonly url: string;
  readonly scope: Scope;
  readonly folder: string;
  readonly hasAudit: boolean;
  readonly note: (text: string) => void;
};

export type Contents = {
  readonly version: 1;
  readonly url: string;
  readonly scope: string;
  readonly startedAt: string;
  readonly endedAt: string;
  /** How many lines each file has. */
  readonly files: Readonly<Record<string, number>>;
  /** Lists that changed while they were read: an item may be missing in them, or be there twice. */
  readonly changed: readonly string[];
};

/** Writes `contents.json` last: a folder without it is no whole export. */
export async function exportWhole({ client, url, scope, folder, hasAudit, note }: WholeOptions): Promise<Contents> {
  const place = parentScope(scope);
  openFolder(folder);
  const startedAt = new Date().toISOString();
  const files: Record<string, number> = {};
  const changed: string[] = [];
  const patience: Patience = { note };
  const keep = (prefix: string, { file, count, hasChanged }: Written) => {
    files[prefix + file] = count;
    if (hasChanged) changed.push(prefix + file);
  };

  if (place.tenant === 'organization') {
    writeObject(join(folder, 'organization.json'), await client.getOrganization({ id: place.id, scope: place }));
    for (const list of organizationLists(client, place, patience)) keep('', await writeList(folder, list));
  }
  const projects: ProjectScope[] = [];
  const projectTenant = place.tenant === 'organization' ? 'organizationProject' : 'accountProject';
  keep(
    '',
    await writeList(folder, projectsOf(client, place, patience), ({ id }) => {
      projects.push({ tenant: projectTenant, id: `${place.id}:${idOf(id)}` });
    }),
  );
  for (const project of projects) {
    const name = join('projects', project.id.split(':')[1] ?? '');
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    for (const list of projectLists(client, project, patience)) keep(`${name}/`, await writeList(join(folder, name), list));
    await writeManifest(client, project, join(folder, name), note);
    note(`${name} is written.`);
  }
  if (hasAudit) keep('', await writeList(folder, auditOf(client, place, patience)));
  const scopeText = `${place.tenant}:${place.id}`;
  const contents: Contents = { version: 1, url, scope: scopeText, startedAt, endedAt: new Date().toISOString(), files, changed };
  writeObject(join(folder, 'contents.json'), contents);
  return contents;
}

function parentScope({ tenant, id }: Scope): OrganizationScope | AccountScope {
  if (tenant === 'organization' || tenant === 'account') return { tenant, id };
  throw new Failure(
    '--all is for an organization or an account: --scope organization:<id>. Without --all a project is a manifest.',
    exitCodes.usage,
  );
}

/** The name of a folder: what is no id of ours could lead out of the export. */
function idOf(id: unknown): string {
  if (typeof id === 'string' && isId(id)) return id;
  throw new Failure('The server has sent a project whose id is none.');
}

/** What `tessera apply` makes the same project from. */
async function writeManifest(client: TesseraClient, scope: ProjectScope, folder: string, note: (text: string) => void): Promise<void> {
  try {
    const text = stringify(toManifest(await readState(client, scope)));
    writeFileSync(join(folder, 'tessera.yaml'), text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    note(`${folder} has no tessera.yaml: ${error.message}`);
  }
}
