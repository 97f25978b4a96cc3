/** Which person an identity at an organization's provider becomes here, and which it does not. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { newId } from '@tessera/kernel/ids';
import { sql } from '@tessera/kernel/postgres';
import { builtInRoleId } from '@tessera/proto/built-in-ids';
import { type ConnectionWorld, removeMember, startConnections, upstreamPerson } from '../../testing/connections.ts';
import { registered } from '../../testing/service.ts';
import type { UpstreamPerson } from '../../testing/upstream.ts';

const service = await startConnections();
afterAll(() => service.stop());
const { ask, peers, makeWorld, countOf } = service;

/** Every path by which an outer identity could become a person here, and what comes of it. */
type Path = { readonly who: (world: ConnectionWorld) => Promise<UpstreamPerson> | UpstreamPerson; readonly error: string };
const paths: Readonly<Record<string, Path>> = {
  'an address outside of the proven domains': { who: () => upstreamPerson('elsewhere.example.org'), error: 'address_not_allowed' },
  'an address in a subdomain of a proven domain': { who: ({ domain }) => upstreamPerson(`sub.${domain}`), error: 'address_not_allowed' },
  'no address at all': { who: ({ domain }) => upstreamPerson(domain, { email: undefined }), error: 'address_not_allowed' },
  'an address that the provider has not verified': {
    who: ({ domain }) => upstreamPerson(domain, { email_verified: false }),
    error: 'address_not_verified',
  },
  'a word for verified that is no boolean': {
    who: ({ domain }) => upstreamPerson(domain, { email_verified: 'true' }),
    error: 'address_not_verified',
  },
  'the address of a person who holds it': {
    who: async () => upstreamPerson('example.com', { email: (await registered(service)).email }),
    error: 'link_needed',
  },
  'an address that somebody registered and never proved': {
    who: async () => upstreamPerson('example.com', { email: (await registered(service, { verified: false })).email }),
    error: 'address_not_held',
  },
  'a new subject with the address of a person of this connection': {
    who: async (world) => {
      const known = upstreamPerson(world.domain);
      await world.signIn(known);
      return { ...known, sub: `another-${newId()}` };
    },
    error: 'link_needed',
  },
  'a linked person who was removed from the organization': {
    who: async (world) => {
      const known = upstreamPerson(world.domain);
      const { userId } = await world.signIn(known);
      removeMember(service, world.organizationId, userId);
      return known;
    },
    error: 'not_a_member',
  },
  'a linked person whose domain the organization has lost': {
    who: async (world) => {
      const known = upstreamPerson(world.domain);
      await world.signIn(known);
      peers.provenDomains.get(world.organizationId)?.delete(world.domain);
      return known;
    },
    error: 'address_not_allowed',
  },
  'an organization without room': {
    who: (world) => {
      peers.full.add(world.organizationId);
      return upstreamPerson(world.domain);
    },
    error: 'organization_full',
  },
};

describe('takeover: path and result', () => {
  for (const [path, { who, error }] of Object.entries(paths))
    test(`${path}: ${error}, without a session or a link`, async () => {
      const world = await makeWorld();
      const known = await who(world);
      const [sessions, before] = [await countOf('sessions'), await peers.people.get(world.organizationId)?.size];
      expect((await world.come(known)).error).toBe(error);
      expect([await countOf('sessions'), peers.people.get(world.organizationId)?.size]).toStrictEqual([sessions, before]);
    });

  test('the same subject at another connection is somebody else', async () => {
    const [one, other] = [await makeWorld(), await makeWorld()];
    const who = upstreamPerson(one.domain);
    const { userId } = await one.signIn(who);
    expect((await other.come(who)).error).toBe('address_not_allowed');
    expect((await other.signIn(upstreamPerson(other.domain, { sub: who.sub }))).userId).not.toBe(userId);
  });

  test('an organization without room makes and links nobody', async () => {
    const world = await makeWorld();
    const { email, accessToken } = await registered(service);
    const [people, links] = [await countOf('users'), await countOf('connection_links')];
    peers.full.add(world.organizationId);
    expect((await world.come(upstreamPerson(world.domain))).error).toBe('organization_full');
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await world.come(upstreamPerson('example.com', { email }), { query: '?action=connect', headers })).error).toBe(
      'organization_full',
    );
    expect([await countOf('users'), await countOf('connection_links')]).toStrictEqual([people, links]);
  });

  test('after a crash before the membership the next sign-in makes up for it', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    await world.signIn(who);
    peers.people.get(world.organizationId)?.clear();
    const { userId } = await world.signIn(who);
    expect(peers.people.get(world.organizationId)?.has(userId)).toBe(true);
  });
});

describe('a person who was here before, or is to come back', () => {
  test('who was removed is no member again: neither by signing in nor by a link made anew', async () => {
    const world = await makeWorld();
    const account = await registered(service);
    const headers = { authorization: `Bearer ${account.accessToken}` };
    const who = upstreamPerson('example.com', { email: account.email });
    expect((await world.come(who, { query: '?action=connect', headers })).error).toBeNull();
    removeMember(service, world.organizationId, account.userId);
    const { body } = await ask('GET', '/api/me/authentication-methods', { token: account.accessToken });
    const link = body.data.items.find(({ provider }: { provider: string }) => provider.startsWith('connections/'));
    expect((await ask('DELETE', `/api/me/authentication-methods/${link.id}`, { token: account.accessToken })).status).toBe(200);
    const links = await countOf('connection_links');
    expect((await world.come(who, { query: '?action=connect', headers })).error).toBe('not_a_member');
    expect(await countOf('connection_links')).toBe(links);
    // An invitation takes them back.
    peers.departed.clear();
    expect((await world.come(who, { query: '?action=connect', headers })).error).toBeNull();
  });

  /** The person has another way to sign in, in place of that by the connection. */
  const unlink = (userId: string) =>
    service.database.query(
      sql(`UPDATE authentication_methods SET provider = 'codehost', provider_id = id WHERE user_id = $1 AND provider LIKE 'connections/%'`),
      [userId],
    );

  for (const [how, leave] of Object.entries({
    'their way to sign in is deleted': unlink,
    'they are deleted for good': (userId: string) => service.database.query(sql('DELETE FROM users WHERE id = $1'), [userId]),
  }))
    test(`a subject that has led to a person makes no new one, once ${how}; linked by their own word it leads on`, async () => {
      const world = await makeWorld();
      const who = upstreamPerson('example.com');
      const { userId } = await world.signIn(who);
      removeMember(service, world.organizationId, userId);
      await leave(userId);
      await service.database.query(sql('DELETE FROM proven_addresses WHERE address = $1'), [who['email']]);
      const people = await countOf('users');
      expect((await world.come(who)).error).toBe('not_a_member');
      expect(await countOf('users')).toBe(people);
      // An invitation lets them in with a way of their own, and then they link it.
      const account = await registered(service);
      const headers = { authorization: `Bearer ${account.accessToken}` };
      const same = { ...who, email: account.email };
      expect((await world.come(same, { query: '?action=connect', headers })).error).toBeNull();
      expect((await world.signIn(same)).userId).toBe(account.userId);
    });

  test('an unverified address of a known subject makes and links nobody when the link goes at this moment', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    const { userId } = await world.signIn(who);
    const account = await registered(service);
    const headers = { authorization: `Bearer ${account.accessToken}` };
    const own = upstreamPerson('example.com', { email: account.email });
    expect((await world.come(own, { query: '?action=connect', headers })).error).toBeNull();
    const unverified = { email_verified: false };
    peers.onJudge = async () => void (await unlink(userId));
    const made = await world.come({ ...who, ...unverified });
    peers.onJudge = async () => void (await unlink(account.userId));
    const linked = await world.come({ ...own, ...unverified }, { query: '?action=connect', headers });
    peers.onJudge = async () => undefined;
    expect([made.error, linked.error]).toStrictEqual(['address_not_verified', 'address_not_verified']);
  });

  test('confirming with another account at the provider makes no person, and with their own it makes nothing', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    const { accessToken } = await world.signIn(who);
    const headers = { authorization: `Bearer ${accessToken}` };
    const people = await countOf('users');
    const confirm = (as: UpstreamPerson) => world.come(as, { query: '?action=confirm', headers });
    expect((await confirm(upstreamPerson(world.domain))).error).toBe('access_denied');
    expect(await countOf('users')).toBe(people);
    const { location, error } = await confirm(who);
    expect([error, location.searchParams.has('confirmation')]).toStrictEqual([null, true]);
    expect(await countOf('users')).toBe(people);
  });

  test('an address that equals another only after folding is not vouched for', async () => {
    const world = await makeWorld();
    const email = `\u212Aada.${newId()}@${world.domain}`;
    expect((await world.come(upstreamPerson(world.domain, { email }))).error).toMatch(/^address_not_(verified|allowed)$/);
  });

  test('a default role that was deleted since gives Viewer', async () => {
    const world = await makeWorld();
    peers.verdicts.set(world.connection.defaultRoleId, 'not-found');
    await world.signIn(upstreamPerson(world.domain));
    expect(peers.admitted.at(-1)).toMatchObject({ roleId: builtInRoleId('organization', world.organizationId, 'Viewer') });
  });

  test('a platform administrator gets nothing by a connection, also where they become one later', async () => {
    const world = await makeWorld();
    const who = upstreamPerson(world.domain);
    const { accessToken, userId } = await world.signIn(who);
    await service.database.query(sql('INSERT INTO platform_administrators (user_id) VALUES ($1)'), [userId]);
    expect((await ask('GET', '/api/platform/service-accounts', { token: accessToken })).status).toBe(403);
    expect((await world.come(who)).error).toBe('access_denied');
  });
});
