import { AppError, failures, reasons } from '@tessera/kernel/errors';
import { isId } from '@tessera/kernel/ids';
import type { Scope } from '@tessera/kernel/scope';
import type { Claims } from '@tessera/kernel/tokens';
import type * as wire from '@tessera/proto/types/rbac.v1';
import type { Subject } from '../../../domain/subject.ts';
import { errors } from '../../../errors.ts';
import type { Decider } from '../../../operations/decisions/decider.ts';
import { readAskedScope } from '../subject.ts';
import { type Application, subjectOfClaims } from './admit.ts';

export type AskedBy = 'user token' | 'name' | 'own token';
type Question = Pick<wire.Check, 'subject' | 'scope' | 'userToken' | 'consistencyToken'> & { readonly noCache?: boolean };

/** Whose rights, where, and how the application came to ask about them. */
export type Resolved = { readonly subject: Subject; readonly scope: Scope; readonly by: AskedBy };

type Deps = { readonly decider: Decider; readonly verifyToken: (token: string) => Promise<Claims> };

/** The scope of a question: that of the application's token. Of no other it learns anything. */
function coveredScope({ scope }: Application, asked: wire.Check['scope']): Scope {
  const wanted = asked === undefined ? undefined : readAskedScope(asked);
  if (wanted !== undefined && (wanted.tenant !== scope.tenant || wanted.id !== scope.id)) throw errors.outsideScope();
  return scope;
}

/** The subject of an end user's token; undefined when the token is not valid. */
async function subjectOfToken(token: string, { verifyToken }: Deps): Promise<Subject | undefined> {
  try {
    return subjectOfClaims(await verifyToken(token));
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unauthenticated') return undefined;
    throw error;
  }
}

/** A user by name. An application has no say in what another token could do. */
function namedSubject({ type, userId, tokenScope, scopes, roleId = '' }: wire.Subject): Subject {
  if (type !== '' && type !== 'user') throw failures.validation('subject.type', reasons.oneOf(['user', 'self']));
  if (tokenScope !== undefined || scopes.length > 0 || roleId !== '')
    throw failures.validation('subject', { en: 'has type and user_id only', de: 'hat nur type und user_id' });
  if (!isId(userId)) throw failures.validation('subject.user_id', { en: 'must be a UUID', de: 'muss eine UUID sein' });
  return { type: 'session', userId };
}

const whose = {
  en: 'must be given, or else a subject (type user and user_id, or type self)',
  de: 'muss angegeben sein, sonst ein subject (type user und user_id, oder type self)',
};

/**
 * Undefined when the end user's token is not valid. A question must say whose rights it is about: a
 * token that is missing by mistake must not turn into the rights of the application.
 */
export async function resolveSubject(application: Application, question: Question, deps: Deps): Promise<Resolved | undefined> {
  const { subject: named, userToken, consistencyToken, noCache } = question;
  const scope = coveredScope(application, question.scope);
  if ((userToken === undefined) === (named === undefined)) throw failures.validation('user_token', whose);
  if (named === undefined) {
    const subject = await subjectOfToken(userToken ?? '', deps);
    return subject && { subject, scope, by: 'user token' };
  }
  if (named.type === 'self') return { subject: application.subject, scope, by: 'own token' };
  const subject = namedSubject(named);
  const right = { resource: 'Decision', action: 'Evaluate', target: {}, consistencyToken, noCache };
  const { authorized } = await deps.decider.decide({ subject: application.subject, scope, ...right });
  if (!authorized) throw errors.evaluate();
  return { subject, scope, by: 'name' };
}
