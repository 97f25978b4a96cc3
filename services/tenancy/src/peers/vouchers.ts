/**
 * Does the voucher of what acts later still hold? Asked of rbac (the right), keys (the API key) and
 * identity (the app), each time it acts, and remembered for two seconds at most.
 */
import type { Authorizer, Check, CheckOptions, Subject } from '@tessera/kernel/authorization';
import { failures } from '@tessera/kernel/errors';
import type { GrpcClient } from '@tessera/kernel/grpc';
import type { Notices } from '@tessera/kernel/notices';
import type { Transaction } from '@tessera/kernel/postgres';
import { isTokenScope, type ParsedScope, splitTokenScope } from '@tessera/kernel/scope';
import { LRUCache } from 'lru-cache';
import type { Standing, Voucher } from '../domain/voucher.ts';
import { findAccounts } from '../storage/accounts.ts';
import { filterPeople } from '../storage/people.ts';

export type Vouchers = {
  /** The caller as a voucher: the right is demanded of the token, and of what is stored of it. */
  of(subject: Subject, scope: ParsedScope, options: CheckOptions, right?: Right): Promise<Voucher>;
  /** Throws `unavailable` when the services that know give no answer. */
  standing(voucher: Voucher | null, scope: ParsedScope, right?: Right): Promise<Standing>;
};

/** What the voucher must hold in the scope; left out, it is that of a webhook. */
export type Right = Pick<Check, 'resource' | 'action'>;

type Options = {
  readonly authorizer: Authorizer;
  readonly identity: Pick<GrpcClient<'identity.v1.Identity'>, 'findVouchedApp' | 'findServiceCredential'>;
  readonly keys: Pick<GrpcClient<'keys.v1.Keys'>, 'findLiveApiKeys'>;
  readonly reader: Pick<Transaction, 'query'>;
  readonly notices: Pick<Notices, 'subscribe' | 'onReconnect'>;
};

const keptMs = 2_000;
const mostKept = 20_000;

/** What a webhook tells is the audit log. */
const readsTheLog: Right = { resource: 'AuditEvent', action: 'Query' };

export function createVouchers({ authorizer, identity, keys, reader, notices }: Options): Vouchers {
  const standings = new LRUCache<string, Promise<Standing>>({ max: mostKept, ttl: keptMs, ttlResolution: 0 });
  const forget = () => standings.clear();
  notices.subscribe('tenant-changed', forget);
  notices.subscribe('revocation', forget);
  notices.onReconnect(forget);

  const checkOf = (subject: Subject, { tenant, id }: ParsedScope, right: Right): Check => ({ ...right, subject, scope: { tenant, id } });

  function appOf({ tokenScope, appId = '', tokenId }: Voucher) {
    if (tokenScope === undefined || !isTokenScope(tokenScope)) return undefined;
    const { tenant, id } = splitTokenScope(tokenScope).scope;
    return identity.findVouchedApp({ tenant, id, appId, tokenId: appId === '' ? tokenId : '' });
  }

  async function isHere(userId: string, { organizationId, accountId, projectId }: ParsedScope): Promise<boolean> {
    if (organizationId === undefined && (await findAccounts(reader, [accountId ?? ''])).some(({ ownerId }) => ownerId === userId))
      return true;
    const places = { ...(organizationId === undefined ? {} : { organizationId }), ...(projectId === undefined ? {} : { projectId }) };
    return (await filterPeople(reader, places, [userId])).length > 0;
  }

  /** The subject as it may act now; undefined when the key or the app has ended. */
  async function current(voucher: Voucher): Promise<Subject | undefined> {
    if (voucher.type === 'session') return voucher;
    if (voucher.type === 'serviceAccount') {
      const { isLive } = await identity.findServiceCredential({ accountId: voucher.userId, credentialId: voucher.tokenId });
      return isLive ? voucher : undefined;
    }
    if (voucher.appId === undefined) {
      const { ids } = await keys.findLiveApiKeys({ ids: [voucher.tokenId] });
      return ids.includes(voucher.tokenId) ? voucher : undefined;
    }
    const app = await appOf(voucher);
    if (app?.isVouched !== true) return undefined;
    return voucher.scopes === undefined || !app.isCapped ? voucher : { ...voucher, scopes: intersection(voucher.scopes, app.scopes) };
  }

  async function ask(voucher: Voucher, scope: ParsedScope, right: Right): Promise<Standing> {
    const subject = await current(voucher);
    if (subject === undefined) return 'ended';
    const [decision] = await authorizer.check([checkOf(subject, scope, right)]);
    if (decision?.authorized === true) return 'holds';
    // Nothing has ended: a webhook of the grant waits until it is resumed.
    if (decision?.reason === 'GRANT_SUSPENDED') throw failures.demanded(decision) ?? failures.forbidden();
    return voucher.type === 'session' && !(await isHere(voucher.userId, scope)) ? 'left' : 'ended';
  }

  return {
    async of(subject, scope, options, right = readsTheLog) {
      const app = subject.type === 'session' ? undefined : await appOf(subject);
      const voucher = voucherOf(subject, app?.appId);
      // The second as it is asked later: a right that needs the caller's address does not count.
      const decisions = await Promise.all([
        authorizer.check([checkOf(subject, scope, right)], options),
        authorizer.check([checkOf(voucher, scope, right)], { noCache: options.noCache ?? false }),
      ]);
      const refused = decisions.flat().find(({ authorized }) => !authorized);
      if (refused !== undefined) throw failures.demanded(refused) ?? failures.forbidden();
      return voucher;
    },
    standing(voucher, scope, right = readsTheLog) {
      if (voucher === null) return Promise.resolve('ended');
      const key = JSON.stringify([voucher, scope.tenant, scope.id, right.resource, right.action]);
      const known = standings.get(key);
      if (known !== undefined) return known;
      const standing = ask(voucher, scope, right);
      standings.set(key, standing);
      standing.catch(() => {
        if (standings.peek(key) === standing) standings.delete(key);
      });
      return standing;
    },
  };
}

/** A session stands for the person: neither its level nor its scope stays. */
function voucherOf({ type, userId, tokenId, tokenScope, scopes, roleId }: Subject, appId: string | undefined): Voucher {
  if (type === 'session') return { type, userId, tokenId };
  return {
    type,
    userId,
    tokenId,
    ...(tokenScope === undefined ? {} : { tokenScope }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(roleId === undefined ? {} : { roleId }),
    ...(appId === undefined || appId === '' ? {} : { appId }),
  };
}

function intersection(some: readonly string[], others: readonly string[]): string[] {
  return some.filter((name) => others.includes(name));
}
