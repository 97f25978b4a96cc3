/** Takes the steps of an adoption, and takes them back. Each is in the record before it happens. */
import { randomUUID } from 'node:crypto';
import { type TesseraClient, TesseraError } from '@tessera/client';
import { Failure } from '../failure.ts';
import type { StandingGrant } from '../manifest/grants.ts';
import { all } from '../pages.ts';
import type { AdoptPlan, Gift } from './plan.ts';
import type { AdoptRecord } from './record.ts';
import { createCommand, findGrant, isRefused, orRefused, readPeople, type Sides } from './sides.ts';

/** What the other side does before this can go on. */
export type Done = { readonly changes: number; readonly waitsFor?: string };
type Deps = { readonly client: TesseraClient; readonly sides: Sides; readonly record: AdoptRecord };

/**
 * Sends the offer that the record has, with its key: if it was sent before, this finds its id.
 * Undefined when the caller may not offer it.
 */
async function sendOffer({ client, sides, record }: Deps): Promise<boolean | undefined> {
  const { offer } = record.state;
  if (offer === undefined || offer.grantId !== undefined) return false;
  const { roleIds } = offer.terms;
  const wish = { scope: sides.product, organizationId: sides.customer.id, ...(roleIds === undefined ? {} : { roleIds: [...roleIds] }) };
  try {
    const { id } = await client.createProjectGrant(wish, { idempotencyKey: offer.key });
    record.save({ offer: { ...offer, grantId: id } });
    return true;
  } catch (error) {
    if (error instanceof TesseraError && error.status < 500 && error.status !== 429) forgetOffer(record);
    if (isRefused(error)) return undefined;
    // It has been offered by another program meanwhile.
    if (error instanceof TesseraError && error.code === 'CONFLICT') return false;
    throw error;
  }
}

function forgetOffer(record: AdoptRecord): void {
  const { offer: _, ...others } = record.state;
  record.replace(others);
}

async function acceptGrant({ client, sides, record }: Deps, { id }: StandingGrant): Promise<boolean> {
  record.save({ accepted: id });
  try {
    await client.acceptProjectGrant({ scope: sides.customer, id });
    return true;
  } catch (error) {
    if (error instanceof TesseraError && error.status < 500) {
      const { accepted: _, ...others } = record.state;
      record.replace(others);
    }
    if (isRefused(error)) return false;
    throw error;
  }
}

async function setRoles({ client, sides: { place } }: Deps, userId: string, change: (held: readonly string[]) => readonly string[]) {
  // Read just before: what others have given meanwhile stays.
  const [person] = await readPeople(client, place, [userId]);
  const held = person?.held ?? [];
  const wanted = change(held);
  if (person === undefined || (wanted.length === held.length && wanted.every((id) => held.includes(id)))) return false;
  await client.updateUser({ id: userId, scope: place, roleIds: [...wanted] });
  return true;
}

async function give(deps: Deps, { userId, roles }: Gift): Promise<void> {
  const { record } = deps;
  const added = roles.map(({ id }) => id);
  const before = record.state.given[userId] ?? [];
  record.save({ given: { ...record.state.given, [userId]: [...new Set([...before, ...added])] } });
  await setRoles(deps, userId, (held) => [...new Set([...held, ...added])]);
}

export async function adopt(deps: Deps, { offer, gifts }: AdoptPlan, progress: (done: number) => void): Promise<Done> {
  const { client, sides, record } = deps;
  let changes = 0;
  const count = () => {
    changes += 1;
    progress(changes);
  };
  // One that is in the record without an id may have been sent: it keeps its key.
  const isNew = record.state.offer === undefined || record.state.offer.grantId !== undefined;
  if (offer !== undefined && isNew) record.save({ offer: { key: randomUUID(), terms: offer } });
  const isOffered = await sendOffer(deps);
  if (isOffered === undefined) return { changes, waitsFor: `Its owner offers it: \`${createCommand(sides)}\`. Then run this again.` };
  if (isOffered) count();
  const { grant } = await findGrant(client, sides);
  if (grant === undefined) throw new Failure('The grant has ended meanwhile. Run this again.');
  if (grant.status === 'offered') {
    if (!(await acceptGrant(deps, grant)))
      return {
        changes,
        waitsFor: `An Owner of the customer accepts it: \`tessera grants accept ${grant.id} --scope organization:${sides.customer.id}\`. Then run this again.`,
      };
    count();
  }
  for (const gift of gifts) {
    await give(deps, gift);
    count();
  }
  return { changes };
}

export type BackPlan = {
  readonly people: readonly { readonly userId: string; readonly roles: readonly string[] }[];
  readonly endsGrant: boolean;
};

export function planBack({ state: { given, offer, accepted } }: AdoptRecord): BackPlan {
  const people = Object.entries(given).map(([userId, roles]) => ({ userId, roles }));
  return { people, endsGrant: offer !== undefined || accepted !== undefined };
}

/** Why the grant stays: others use it by now. */
async function usersOf({ client, sides: { place } }: Deps, grant: StandingGrant): Promise<string | undefined> {
  if (grant.status === 'offered') return undefined;
  const [people, keys, roles, hooks] = await Promise.all([
    orRefused(readPeople(client, place), []),
    orRefused(all(client.listApiKeys({ scope: place, limit: 100 })), []),
    orRefused(all(client.listRoles({ scope: place, limit: 100 })), []),
    orRefused(all(client.listWebhooks({ scope: place, limit: 100 })), []),
  ]);
  const counts = [
    [people.filter(({ roles: held }) => held.length > 0).length, 'people with roles'],
    [keys.length, 'API keys'],
    [roles.filter(({ isBuiltIn, isShared }) => !isBuiltIn && !isShared).length, 'roles of the customer'],
    [hooks.length, 'webhooks'],
  ] as const;
  const used = counts.filter(([number]) => number > 0).map(([number, what]) => `${number} ${what}`);
  return used.length === 0 ? undefined : used.join(', ');
}

async function endGrant(deps: Deps): Promise<string | undefined> {
  const { client, sides, record } = deps;
  const { grant } = await findGrant(client, sides);
  if (grant === undefined) return undefined;
  // Sent by a run that was killed before it knew the id: found by its key.
  await sendOffer(deps);
  const { offer, accepted } = record.state;
  if (grant.id !== offer?.grantId && grant.id !== accepted) return undefined;
  const used = await usersOf(deps, grant);
  if (used !== undefined)
    return `The grant ${grant.id} stays, because it has what the adoption did not give: ${used}. \`tessera grants end\` or \`leave\` ends it.`;
  try {
    await client.endProjectGrant({ scope: sides.product, id: grant.id });
  } catch (error) {
    if (!isRefused(error)) throw error;
    if (grant.status === 'offered') await client.declineProjectGrant({ scope: sides.customer, id: grant.id });
    else await client.leaveProjectGrant({ scope: sides.customer, id: grant.id });
  }
  return undefined;
}

/** Takes what the record names and nothing else; the record goes last. */
export async function goBack(deps: Deps, { people, endsGrant }: BackPlan, progress: (done: number) => void): Promise<string | undefined> {
  const { client, sides, record } = deps;
  const { grant } = await findGrant(client, sides);
  if (people.length > 0 && grant?.status !== 'active')
    throw new Failure(
      `The grant is ${grant?.status ?? 'over'}: nobody may do anything there, and no role can be taken. What was given is kept for thirty days, for a new grant; ${record.file} stays for then.`,
    );
  let done = 0;
  for (const { userId, roles } of people) {
    await setRoles(deps, userId, (held) => held.filter((id) => !roles.includes(id)));
    const { [userId]: _, ...given } = record.state.given;
    record.save({ given });
    done += 1;
    progress(done);
  }
  const stays = endsGrant ? await endGrant(deps) : undefined;
  record.remove();
  return stays;
}
