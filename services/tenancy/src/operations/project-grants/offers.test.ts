/** Offers by mail: who may take them, once, and what a stranger learns. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { until } from '../../../../../test/support/until.ts';
import { deleteOrganization } from '../../storage/organizations.ts';
import { call } from '../../testing/call.ts';
import { openTestService } from '../../testing/service.ts';
import { closeAccounts } from '../account-closure/close-accounts.ts';

const service = await openTestService({ invitations: { mostPerAddress: 2 } });
afterAll(() => service.close());

/** A product, and an Owner of another organization to whose address it is offered. */
async function world() {
  const [globex, acme] = [await service.createOrganization('Globex'), await service.createOrganization('Acme')];
  const { data } = await call(service, 'rest', 'createProject', { scope: globex.scope, name: 'Billing' }, globex.owner.token);
  const product = { tenant: 'organizationProject', id: `${globex.organizationId}:${data.id}` };
  const { email } = acme.owner;
  const offer = (input: object = { email }) =>
    call(service, 'rest', 'createProjectGrant', { scope: product, ...input }, globex.owner.token);
  const tokenOf = (address = email) => service.identity.tokenFor(address);
  const byOwner = (name: string, id: unknown, input: object = {}) =>
    call(service, 'rest', name, { scope: product, id, ...input }, globex.owner.token);
  type Taking = { name?: string; token?: string; by?: Pick<typeof acme, 'owner' | 'scope'>; bearer?: string };
  const take = (id: unknown, { name = 'acceptProjectGrant', token = tokenOf(), by = acme, bearer }: Taking = {}) =>
    call(service, 'rest', name, { scope: by.scope, id, token }, bearer ?? `${by.owner.token}.fresh`);
  const seen = async (token = tokenOf()) => (await call(service, 'rest', 'getProjectGrantOffer', { token }, undefined)).data;
  return { globex, acme, product, projectId: data.id, email, offer, tokenOf, byOwner, take, seen };
}

describe('an offer by mail', () => {
  test('has no customer until an Owner with that address takes it, for an organization of theirs', async () => {
    const { globex, acme, product, projectId, email, offer, tokenOf, byOwner, take, seen } = await world();
    const { status, data } = await offer({ email: email.toUpperCase(), maxMembers: 5 });
    expect(status).toBe(201);
    expect(data).toMatchObject({ status: 'offered', organizationId: null, organization: null, email, isMailed: true, memberCount: 0 });
    expect(JSON.stringify(data)).not.toContain(tokenOf());
    const mail = service.identity.mails.findLast(({ to }) => to === email);
    expect(mail).toMatchObject({ template: 'grant-offer', data: { organizationName: 'Globex', projectName: 'Billing' } });
    expect(mail?.data.inviterAddress).toBe(globex.owner.email);
    for (const transport of ['rest', 'graphql'] as const) {
      const { data: page } = await call(service, transport, 'listProjectGrants', { scope: product, search: email }, globex.owner.token);
      expect(page).toMatchObject({ totalCount: 1, items: [{ id: data.id }] });
    }
    const { data: none } = await call(service, 'rest', 'listProjectGrants', { scope: acme.scope }, acme.owner.token);
    expect(none.totalCount).toBe(0);
    expect(await seen()).toMatchObject({
      id: data.id,
      state: 'open',
      email,
      maxMembers: 5,
      project: { id: projectId, name: 'Billing' },
      ownerOrganization: { name: 'Globex' },
    });
    const taken = await take(data.id);
    expect([taken.status, taken.data.status, taken.data.organizationId]).toStrictEqual([200, 'active', acme.organizationId]);
    expect((await seen()).state).toBe('taken');
    expect(service.rbac.received.filter(({ type }) => type === 'grant.changed').at(-1)?.payload).toMatchObject({
      scope: { id: `${acme.organizationId}:${projectId}` },
      isActive: true,
    });
    expect((await byOwner('suspendProjectGrant', data.id)).data.status).toBe('suspended');
    // Used up, also for a new pair.
    expect((await take(data.id)).code).toBe('CONFLICT');
    const rows = await service.query<{ scope_id: string; action: string }>(
      `SELECT scope_id, action FROM audit_log WHERE target_id = $1 AND action IN ('grant.offered', 'grant.accepted') ORDER BY at, id`,
      [data.id],
    );
    expect(rows.map(({ scope_id: id, action }) => `${id === product.id ? 'owner' : 'customer'} ${action}`).toSorted()).toStrictEqual([
      'customer grant.accepted',
      'owner grant.accepted',
      'owner grant.offered',
    ]);
  });

  test('is open while its maker could make it: neither way is accepted once the maker may not any more', async () => {
    const { globex, acme, product, email, take, offer, byOwner } = await world();
    const admin = await service.addMember(globex.organizationId, 'Admin');
    const by = (input: object) => call(service, 'rest', 'createProjectGrant', { scope: product, ...input }, admin.token);
    const accept = (id: unknown) => call(service, 'rest', 'acceptProjectGrant', { scope: acme.scope, id }, `${acme.owner.token}.fresh`);
    const [mailed, direct] = [await by({ email }), await by({ organizationId: acme.organizationId })];
    expect([mailed.status, direct.status]).toStrictEqual([201, 201]);
    service.rbac.receive({ type: 'user.left', payload: { userId: admin.id, scope: globex.scope } });
    service.announceChange(globex.organizationId);
    const refused = [await take(mailed.data.id), await accept(direct.data.id)];
    expect(refused.map(({ status, code }) => [status, code])).toStrictEqual([
      [409, 'CONFLICT'],
      [409, 'CONFLICT'],
    ]);
    for (const { data } of [mailed, direct]) await byOwner('endProjectGrant', data.id);
    // What an Owner offers instead stands, also when it was made before offers had vouchers.
    const { data } = await offer({ organizationId: acme.organizationId });
    await service.query('UPDATE project_grants SET voucher = NULL WHERE id = $1', [data.id]);
    expect((await accept(data.id)).status).toBe(200);
  });

  test('is kept as the hash of its token alone', async () => {
    const { offer, tokenOf } = await world();
    const { data } = await offer();
    const [row] = await service.query<{ stored: string }>(`SELECT row_to_json(g)::text AS stored FROM project_grants g WHERE id = $1`, [
      data.id,
    ]);
    expect(row?.stored).not.toContain(tokenOf());
    const logged = await service.query<{ row: string }>('SELECT row_to_json(a)::text AS row FROM audit_log a WHERE target_id = $1', [
      data.id,
    ]);
    expect(JSON.stringify(logged)).not.toContain(tokenOf());
  });

  test('is taken by nobody else: not by another person with the link, an Admin, a stale session or another offer’s token', async () => {
    const { acme, globex, offer, take, seen, tokenOf } = await world();
    const { data } = await offer();
    const other = await service.createOrganization();
    expect(await take(data.id, { by: other })).toMatchObject({ code: 'FORBIDDEN', key: 'errors.projectGrant.offerNotTheAddressee' });
    expect((await take(data.id, { by: other, name: 'declineProjectGrant' })).code).toBe('FORBIDDEN');
    const admin = await service.addMember(acme.organizationId, 'Admin');
    expect((await take(data.id, { bearer: `${admin.token}.fresh` })).code).toBe('FORBIDDEN');
    expect((await take(data.id, { bearer: acme.owner.token })).code).toBe('FRESH_SIGN_IN_REQUIRED');
    expect((await take(data.id, { token: 'x'.repeat(43) })).code).toBe('BAD_USER_INPUT');
    const second = await world();
    const another = await second.offer();
    expect((await take(another.data.id)).code).toBe('BAD_USER_INPUT');
    // The Owner's address, for an organization in which they are no Owner.
    expect((await take(data.id, { by: { ...acme, scope: other.scope } })).status).toBe(403);
    // Without the token it is nothing to the organization.
    const plain = { scope: acme.scope, id: data.id };
    expect((await call(service, 'rest', 'acceptProjectGrant', plain, `${acme.owner.token}.fresh`)).code).toBe('NOT_FOUND');
    expect((await call(service, 'rest', 'getProjectGrant', plain, acme.owner.token)).code).toBe('NOT_FOUND');
    expect((await call(service, 'rest', 'getProjectGrantOffer', { token: 'x'.repeat(43) }, undefined)).code).toBe('NOT_FOUND');
    expect((await seen()).state).toBe('open');
    // Its own organization cannot be its customer.
    const own = await world();
    const toSelf = await own.offer({ email: own.globex.owner.email });
    const token = own.tokenOf(own.globex.owner.email);
    expect((await own.take(toSelf.data.id, { by: own.globex, token })).code).toBe('VALIDATION_ERROR');
    expect([globex.organizationId, tokenOf().length]).toStrictEqual([globex.organizationId, 43]);
  });

  test('an account that only registered the address becomes its holder by the link and its session together', async () => {
    const { email, acme, offer, take } = await world();
    const person = service.identity.people.get(acme.owner.id);
    if (person === undefined) throw new Error('the Owner is known');
    const { data } = await offer();
    person.isVerified = false;
    expect((await take(data.id)).status).toBe(200);
    expect(service.identity.people.get(acme.owner.id)?.isVerified).toBe(true);
    expect(person.email).toBe(email);
  });

  test('is declined without its owner learning of which organization', async () => {
    const { offer, take, seen, byOwner } = await world();
    const { data } = await offer();
    expect((await take(data.id, { name: 'declineProjectGrant' })).data).toMatchObject({ status: 'declined', organizationId: null });
    expect((await byOwner('getProjectGrant', data.id)).data).toMatchObject({ status: 'declined', organization: null });
    expect((await seen()).state).toBe('declined');
    expect((await take(data.id)).code).toBe('CONFLICT');
  });

  test('ends with its time, with its withdrawal and with the project', async () => {
    const { globex, projectId, offer, take, seen, byOwner, email } = await world();
    const first = await offer();
    await service.query(`UPDATE project_grants SET expires_at = now() WHERE id = $1`, [first.data.id]);
    expect((await seen()).state).toBe('expired');
    expect((await take(first.data.id)).code).toBe('CONFLICT');
    const second = await offer();
    expect(second.status).toBe(201);
    expect((await byOwner('getProjectGrant', first.data.id)).data.status).toBe('ended');
    expect((await byOwner('endProjectGrant', second.data.id)).data.status).toBe('ended');
    const { state, email: address, roles } = await seen();
    expect([state, address, roles]).toStrictEqual(['withdrawn', '', []]);
    const members = await byOwner('listProjectGrantMembers', second.data.id);
    expect([members.status, members.data.totalCount]).toStrictEqual([200, 0]);
    expect((await take(second.data.id)).code).toBe('CONFLICT');
    await service.query('DELETE FROM invitation_counts WHERE address = $1', [email]);
    const third = await offer();
    await call(service, 'rest', 'deleteProject', { scope: globex.scope, id: projectId }, globex.owner.token);
    expect((await call(service, 'rest', 'getProjectGrantOffer', { token: service.identity.tokenFor(email) }, undefined)).code).toBe(
      'NOT_FOUND',
    );
    expect((await take(third.data.id)).code).toBe('BAD_USER_INPUT');
  });

  test('is one for an address, and never a second grant of a pair', async () => {
    const { acme, email, offer, take, byOwner } = await world();
    expect((await offer({})).code).toBe('VALIDATION_ERROR');
    expect((await offer({ email, organizationId: acme.organizationId })).code).toBe('VALIDATION_ERROR');
    expect((await offer({ email: 'a@b' })).code).toBe('VALIDATION_ERROR');
    const { data } = await offer();
    expect((await offer()).key).toBe('errors.projectGrant.offerExists');
    const named = await offer({ organizationId: acme.organizationId });
    expect(named.status).toBe(201);
    expect((await take(data.id)).key).toBe('errors.projectGrant.exists');
    await byOwner('endProjectGrant', named.data.id);
    expect((await take(data.id)).status).toBe(200);
  });

  test('counts as an invitation mail: so many to an address in a day, and none to one that wants none', async () => {
    const { acme, email, offer, byOwner } = await world();
    for (const input of [{ email }, { email }, { organizationId: acme.organizationId }, { organizationId: acme.organizationId }]) {
      const { data } = await offer(input);
      await byOwner('endProjectGrant', data.id);
    }
    expect((await offer()).code).toBe('RATE_LIMIT_EXCEEDED');
    expect((await offer({ organizationId: acme.organizationId })).code).toBe('RATE_LIMIT_EXCEEDED');
    const quiet = 'wants.none@example.com';
    service.identity.refusing.add(quiet);
    expect((await offer({ email: quiet })).data).toMatchObject({ isMailed: false, status: 'offered' });
    expect(service.identity.mails.some(({ to }) => to === quiet)).toBe(false);
  });

  test('is not taken for an organization that is being deleted', async () => {
    const { acme, offer, take } = await world();
    const { data } = await offer();
    const end = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const deletion = service.database.transaction(async (tx) => {
      await deleteOrganization(tx, acme.organizationId, false);
      begun.resolve();
      await end.promise;
    });
    await begun.promise;
    let isAnswered = false;
    const taking = take(data.id).finally(() => {
      isAnswered = true;
    });
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => isAnswered || (await service.query(waiting)).length > 0);
    end.resolve();
    await deletion;
    expect((await taking).code).toBe('NOT_FOUND');
    const [row] = await service.query<Record<string, unknown>>(
      `SELECT status, organization_id FROM project_grants WHERE id = '${data.id}'`,
    );
    expect(row).toStrictEqual({ status: 'offered', organization_id: null });
  });

  test('of ten answers and a withdrawal at once, one counts', async () => {
    const { acme, offer, take, byOwner } = await world();
    const { data } = await offer();
    const second = await service.createOrganization('Second');
    const ten = Array.from({ length: 10 }, (_, at) => take(data.id, at % 3 === 0 ? { name: 'declineProjectGrant' } : {}));
    const [withdrawn, ...answers] = await Promise.all([byOwner('endProjectGrant', data.id), ...ten]);
    const done = answers.filter(({ status }) => status === 200);
    const { data: after } = await byOwner('getProjectGrant', data.id);
    // An answer before the withdrawal: accepted and then ended, or declined, which cannot be ended.
    expect(done.length).toBeLessThanOrEqual(1);
    expect(['ended', 'declined']).toContain(after.status);
    expect(withdrawn.status).toBe(after.status === 'ended' ? 200 : 409);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect([acme.organizationId, null]).toContain(after.organizationId);
    expect(second.organizationId).not.toBe(after.organizationId);
  });
});

describe('the Owners of the other side', () => {
  const letters = () => service.rbac.received.filter(({ type }) => type === 'owners.told').map(({ payload }) => payload);

  test('get one mail an hour of a grant that is suspended and resumed in a loop, and one of each other grant', async () => {
    const told = async (times: number) => {
      const { acme, offer, byOwner } = await world();
      const { data } = await offer({ organizationId: acme.organizationId });
      await call(service, 'rest', 'acceptProjectGrant', { scope: acme.scope, id: data.id }, `${acme.owner.token}.fresh`);
      for (let time = 0; time < times; time += 1) {
        await byOwner('suspendProjectGrant', data.id);
        await byOwner('resumeProjectGrant', data.id);
      }
      const sent = letters().filter(
        ({ template, organizationId }) => template === 'grant-suspended' && organizationId === acme.organizationId,
      );
      return new Set(sent.map(({ messageId }) => messageId));
    };
    const looped = await told(5);
    // Two when the hour ends meanwhile; identity sends one mail for an id.
    expect([1, 2]).toContain(looped.size);
    expect([...looped].filter((id) => typeof id === 'string' && id.startsWith('grant-suspended:'))).toHaveLength(looped.size);
    expect([...(await told(1))].filter((id) => looped.has(id))).toStrictEqual([]);
  });

  test('are told by mail of each step, with the names of both sides', async () => {
    const { globex, acme, offer, byOwner } = await world();
    const before = letters().length;
    const { data } = await offer({ organizationId: acme.organizationId });
    const asCustomer = (name: string) => call(service, 'rest', name, { scope: acme.scope, id: data.id }, `${acme.owner.token}.fresh`);
    await asCustomer('acceptProjectGrant');
    await byOwner('suspendProjectGrant', data.id);
    await byOwner('resumeProjectGrant', data.id);
    await asCustomer('leaveProjectGrant');
    const again = await offer({ organizationId: acme.organizationId });
    await call(service, 'rest', 'acceptProjectGrant', { scope: acme.scope, id: again.data.id }, `${acme.owner.token}.fresh`);
    await byOwner('endProjectGrant', again.data.id);
    const told = letters().slice(before);
    const [owner, customer] = [globex.organizationId, acme.organizationId];
    expect(told.map(({ template, organizationId }) => [template, organizationId])).toStrictEqual([
      ['grant-offered', customer],
      ['grant-accepted', owner],
      ['grant-suspended', customer],
      ['grant-left', owner],
      ['grant-offered', customer],
      ['grant-accepted', owner],
      ['grant-ended', customer],
    ]);
    for (const { data: names } of told)
      expect(names).toStrictEqual({ projectName: 'Billing', organizationName: 'Globex', customerName: 'Acme' });
  });

  test('are told when the project or one of the two organizations is deleted', async () => {
    for (const deleted of ['project', 'customer', 'owner'] as const)
      for (const hardDelete of [false, true]) {
        const { globex, acme, projectId, offer } = await world();
        const { data } = await offer({ organizationId: acme.organizationId });
        await call(service, 'rest', 'acceptProjectGrant', { scope: acme.scope, id: data.id }, `${acme.owner.token}.fresh`);
        const side = deleted === 'customer' ? acme : globex;
        const [name, input] =
          deleted === 'project'
            ? ['deleteProject', { scope: globex.scope, id: projectId, hardDelete }]
            : ['deleteOrganization', { scope: side.scope, id: side.organizationId, hardDelete }];
        expect((await call(service, 'rest', name, input, side.owner.token)).status).toBe(200);
        expect(letters().at(-1)).toMatchObject({
          template: `grant-ended-with-${deleted}`,
          organizationId: deleted === 'customer' ? globex.organizationId : acme.organizationId,
          data: { projectName: 'Billing', organizationName: 'Globex', customerName: 'Acme' },
        });
      }
  });

  test('are told when the only member of the other side closes the account', async () => {
    const { globex, acme, offer } = await world();
    const { data } = await offer({ organizationId: acme.organizationId });
    await call(service, 'rest', 'acceptProjectGrant', { scope: acme.scope, id: data.id }, `${acme.owner.token}.fresh`);
    await closeAccounts(service.grpcDeps, acme.owner.id, false);
    expect(letters().at(-1)).toMatchObject({ template: 'grant-ended-with-customer', organizationId: globex.organizationId });
    const logged = await service.query<{ scope_id: string }>(
      `SELECT scope_id FROM audit_log WHERE target_id = $1 AND action = 'grant.ended'`,
      [data.id],
    );
    expect(logged).toHaveLength(1);
  });
});
