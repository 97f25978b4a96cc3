/**
 * Who vouches for an app, and by what. Both are asked again at each sign-in: is the subject still
 * there, and may it still give what the app's tokens get?
 */
import type { Subject } from '@tessera/kernel/authorization';
import { parseScope, type Scope } from '@tessera/kernel/scope';
import type * as rbac from '@tessera/proto/types/rbac.v1';
import type { ProjectApp, Voucher } from '../ground/domain/project-app.ts';
import type { AppsDeps } from './deps.ts';
import { coversRolesOf } from './role-cover.ts';
import { isBlockedIn, isShutOutOf } from './storage/member-restrictions.ts';
import { findAppOfToken } from './storage/project-app-tokens.ts';
import { findProjectApp } from './storage/project-apps.ts';
import { isLiveCredential } from './storage/service-accounts.ts';

type Deps = Pick<AppsDeps, 'database' | 'tenancy' | 'roles' | 'keys' | 'catalogue'>;

/** The caller as the voucher of an app. The token of an app comes with the id of that app. */
export async function voucherOf(subject: Subject, deps: Pick<Deps, 'database'>): Promise<Voucher> {
  const appId =
    subject.type === 'session' || subject.type === 'serviceAccount' ? undefined : await findAppOfToken(deps.database, subject.tokenId);
  return { ...subject, ...(appId === undefined ? {} : { appId }) };
}

export function wireVoucher({ type, userId, tokenId, tokenScope, scopes = [], roleId }: Voucher): rbac.Subject {
  return { type, userId, tokenId, scopes: [...scopes], ...(tokenScope ? { tokenScope } : {}), ...(roleId ? { roleId } : {}) };
}

/**
 * People of a project are its own users, the members of its organization, its account's owner:
 * tenancy counts them all when it is asked about the project. Whom the organization or the platform
 * has shut out is none of them.
 */
export async function isProjectUser(
  userId: string,
  { tenant, id }: Scope,
  { tenancy, database }: Pick<Deps, 'tenancy' | 'database'>,
): Promise<boolean> {
  const [isHere, isOut] = await Promise.all([
    isOfProject(userId, { tenant, id }, { tenancy }),
    isShutOut(userId, { tenant, id }, { database }),
  ]);
  return isHere && !isOut;
}

async function isOfProject(userId: string, { tenant, id }: Scope, { tenancy }: Pick<Deps, 'tenancy'>): Promise<boolean> {
  return (await tenancy.filterPeople({ scope: { tenant, id }, userIds: [userId] })).userIds.includes(userId);
}

type Standing = {
  readonly seen?: readonly string[];
  /** What follows holds the app only while the platform lets its voucher in. */
  readonly isVoucherHeld?: boolean;
};

/**
 * Whether the person may still vouch: is of the project, and not blocked. rbac gives no role of a
 * person whom the organization has blocked, so an app that acts by a role needs no look at that.
 */
async function isVoucherHere(
  userId: string,
  { scope, roleId }: Pick<ProjectApp, 'scope' | 'roleId'>,
  deps: Deps,
  isVoucherHeld: boolean,
): Promise<boolean> {
  const [isHere, isBlocked] = await Promise.all([
    isOfProject(userId, scope, deps),
    !isVoucherHeld && isBlockedIn(deps.database, userId, roleId === null ? organizationIdsOf(scope) : []),
  ]);
  return isHere && !isBlocked;
}

function organizationIdsOf(scope: Scope): readonly string[] {
  const { organizationId } = parseScope(scope);
  return organizationId === undefined ? [] : [organizationId];
}

/**
 * Whether the organization of a project, or the platform, has blocked the person, or the
 * organization waits for a new password.
 */
export function isShutOut(userId: string, scope: Scope, { database }: Pick<Deps, 'database'>): Promise<boolean> {
  return isShutOutOf(database, userId, organizationIdsOf(scope));
}

/**
 * The app with its voucher, and with the scopes that the voucher may still give. Undefined when the
 * app is stopped: it has no voucher, or the person, the key or the app that vouched has ended.
 * `seen` are apps that rest on this one: a circle has no voucher.
 */
export async function vouchedApp(app: ProjectApp, deps: Deps, seen: readonly string[] = []): Promise<VouchedApp | undefined> {
  const standing = await standingApp(app, deps, { seen });
  if (standing === undefined || !(await mayStillGiveRole(app, standing.voucher, deps))) return undefined;
  const { parent, voucher } = standing;
  const isCapped = parent !== undefined && parent.scopes.length > 0;
  const scopes = (await stillGiven(app, voucher, deps)).filter((name) => !isCapped || parent.scopes.includes(name));
  return app.scopes.length > 0 && scopes.length === 0 ? undefined : { ...app, voucher, scopes };
}

/**
 * Whether the app may act by its role now: one question to tenancy and one to rbac, at once. That
 * the platform lets its voucher in is asked where the token is stored.
 */
export async function machineMayAct(app: ProjectApp & { readonly roleId: string }, deps: Deps): Promise<boolean> {
  const { voucher, scope, roleId } = app;
  if (voucher === null) return false;
  const request = { actor: wireVoucher(voucher), scope: { tenant: scope.tenant, id: scope.id }, roleIds: [roleId], givenTo: 'key' };
  const isHere = standingApp(app, deps, { isVoucherHeld: true });
  const [standing, { verdicts }] = await Promise.all([isHere, deps.roles.checkGrant(request)]);
  return standing !== undefined && verdicts.some((found) => found.roleId === roleId && found.verdict === 'allowed');
}

type VouchedApp = ProjectApp & { readonly voucher: Voucher };

/** Undefined when the person, the key or the app that vouched has ended. */
async function standingApp(
  app: ProjectApp,
  deps: Deps,
  { seen = [], isVoucherHeld = false }: Standing,
): Promise<{ readonly voucher: Voucher; readonly parent: VouchedApp | undefined } | undefined> {
  const { voucher, scope } = app;
  if (voucher === null || seen.includes(app.id)) return undefined;
  // A service account is no member. What it made ends with the credential that made it, as with an
  // API key: a thief of a secret keeps nothing once the secret is removed.
  if (voucher.type === 'serviceAccount')
    return (await isLiveCredential(deps.database, voucher.userId, voucher.tokenId, new Date()))
      ? { voucher, parent: undefined }
      : undefined;
  if (!(await isVoucherHere(voucher.userId, app, deps, isVoucherHeld))) return undefined;
  const through = voucher.appId === undefined ? undefined : await findProjectApp(deps.database, scope, voucher.appId);
  const parent = through && (await vouchedApp(through, deps, [...seen, app.id]));
  if (voucher.appId !== undefined && (parent === undefined || !(await reaches(parent, voucher.userId, deps)))) return undefined;
  if (voucher.type !== 'session' && voucher.appId === undefined) {
    const { ids } = await deps.keys.findLiveApiKeys({ ids: [voucher.tokenId] });
    if (!ids.includes(voucher.tokenId)) return undefined;
  }
  return { voucher, parent };
}

/** Whether the voucher of a machine app may still give its role. A deleted role gives nothing. */
export async function mayStillGiveRole(
  { roleId, scope }: Pick<ProjectApp, 'roleId' | 'scope'>,
  voucher: Voucher,
  { roles }: { readonly roles: Pick<Deps['roles'], 'checkGrant'> },
): Promise<boolean> {
  if (roleId === null) return true;
  const request = { actor: wireVoucher(voucher), scope: { tenant: scope.tenant, id: scope.id }, roleIds: [roleId], givenTo: 'key' };
  const verdict = (await roles.checkGrant(request)).verdicts.find((found) => found.roleId === roleId)?.verdict;
  return verdict === 'allowed' || verdict === 'not-found';
}

/** Whether an app without a cap may act for this user: its voucher covers all roles of the user. */
async function reaches({ type, scopes, voucher, scope }: ProjectApp, userId: string, deps: Deps): Promise<boolean> {
  return type !== null || scopes.length > 0 || (voucher !== null && coversRolesOf(wireVoucher(voucher), userId, scope, deps));
}

async function stillGiven({ scopes, scope }: ProjectApp, voucher: Voucher, { catalogue }: Deps): Promise<readonly string[]> {
  if (scopes.length === 0) return scopes;
  const place = { tenant: scope.tenant, id: scope.id };
  const { verdicts } = await catalogue.checkActions({ actor: wireVoucher(voucher), scope: place, actions: [...scopes] });
  return verdicts.flatMap(({ action, verdict }) => (verdict === 'allowed' ? [action] : []));
}
