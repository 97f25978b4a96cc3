/**
 * A session's token by which a supporter acts as a person of an organization (docs/decisions/038).
 * `act` names the supporter (RFC 8693 section 4.1), `support` what the organization has allowed.
 */
import { isId } from '../ids/index.ts';
import type { Scope } from '../scope/index.ts';

export type SupportClaims = {
  /** The access, and the token's id: who ends it ends all its tokens. */
  readonly id: string;
  readonly supporterId: string;
  /** In seconds: no token of it is valid later. */
  readonly until: number;
  /** The project that the organization uses, where the supporter holds SupportAccess:Use. */
  readonly project: Scope;
  readonly organizationId: string;
  readonly mayWrite: boolean;
  readonly mayExport: boolean;
};

type Payload = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Payload => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined for anything that is not exactly this: the verifier refuses the token then. */
export function readSupport({ act, support, jti, sub, exp, scope, connection }: Payload): SupportClaims | undefined {
  if (!isRecord(act) || !isRecord(support) || scope !== undefined || connection !== undefined) return undefined;
  const { sub: supporterId, ...otherActors } = act;
  const { id, until, project, organization: organizationId, mayWrite = false, mayExport = false, ...others } = support;
  if (Object.keys(otherActors).length > 0 || Object.keys(others).length > 0) return undefined;
  if (typeof supporterId !== 'string' || !isId(supporterId) || supporterId === sub) return undefined;
  if (typeof id !== 'string' || id !== jti || typeof organizationId !== 'string' || !isId(organizationId)) return undefined;
  if (typeof until !== 'number' || typeof exp !== 'number' || exp > until) return undefined;
  if (typeof project !== 'string' || !isProjectId(project)) return undefined;
  if (typeof mayWrite !== 'boolean' || typeof mayExport !== 'boolean') return undefined;
  const home = Object.freeze({ tenant: 'organizationProject', id: project } as const);
  return Object.freeze({ id, supporterId, until, project: home, organizationId, mayWrite, mayExport });
}

/** `<owner>:<project>` */
function isProjectId(value: string): boolean {
  const parts = value.split(':');
  return parts.length === 2 && parts.every(isId);
}
