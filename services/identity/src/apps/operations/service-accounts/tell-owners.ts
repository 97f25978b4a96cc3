/** Mails to the Owners of an organization, or the owner of an account, about a service account. */
import { callerOf, type OperationContext, scopeOf } from '@tessera/kernel/operation';
import type { Transaction } from '@tessera/kernel/postgres';
import { provenAddressesOf } from '../../../people/domain/proven-address.ts';
import { wireScope } from '../../../people/operations/scoped-people.ts';
import { listMethods } from '../../../people/storage/authentication-methods.ts';
import { findPerson } from '../../../people/storage/people.ts';
import type { AppsDeps } from '../../deps.ts';
import type { ServiceAccount } from '../../storage/service-accounts.ts';

type Context = OperationContext<AppsDeps>;
export type ToTell = { readonly addresses: readonly string[]; readonly scopeName: string; readonly maker: string };

const mostOwners = 50;

/**
 * Whom a mail goes to: of the built-in roles only an Owner's may delete an organization, and in an
 * account that of its owner. An account has no name but theirs.
 */
export async function ownersToTell(context: Context): Promise<ToTell> {
  const { deps } = context;
  const { tenant, id } = scopeOf(context);
  const { userId, claims } = callerOf(context);
  const scope = wireScope({ tenant, id });
  const asked = { type: 'user', scope, resource: 'Organization', action: 'Delete', targetJson: '', cursor: '', limit: mostOwners };
  const [{ ids }, { names }, person] = await Promise.all([
    deps.subjects.findSubjects(asked),
    deps.tenancy.nameScopes({ scopes: [scope] }),
    findPerson(deps.database, userId),
  ]);
  const methods = ids.length === 0 ? [] : await listMethods(deps.database, ids);
  const addresses = [...new Set(provenAddressesOf(methods))];
  const maker = claims.service === undefined ? (person?.name ?? userId) : userId;
  const named = names[0]?.organization || (await nameOf(deps, tenant === 'account' ? ids[0] : undefined));
  return { addresses, scopeName: named || id, maker };
}

async function nameOf({ database }: AppsDeps, userId: string | undefined): Promise<string | undefined> {
  return userId === undefined ? undefined : (await findPerson(database, userId))?.name;
}

/** Queued with the change; the mailer finds the jobs by itself. */
export async function tellOwners(
  tx: Transaction,
  { addresses, scopeName, maker }: ToTell,
  { name, elevated }: Pick<ServiceAccount, 'name' | 'elevated'>,
  { deps, now, request }: Pick<Context, 'deps' | 'now' | 'request'>,
): Promise<void> {
  const data = { token: '', url: deps.settings.frontendUrl, scopeName, maker, accountName: name, elevated: elevated.join(', ') };
  for (const to of addresses)
    await deps.mailer.queue(tx, { template: 'service-account-elevated', to, language: request.language, data }, now);
}
