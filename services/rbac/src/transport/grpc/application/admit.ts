/**
 * Applications call rbac.v1.Authorization with the access token of an API key or of a machine app,
 * which are tokens of type apiKey: it belongs to one program and one project, and one revocation
 * ends it. A session is a person's, and a projectApp token is what a person lent to an app.
 */
import { subjectOf } from '@tessera/kernel/authorization';
import { AppError } from '@tessera/kernel/errors';
import type { Arrival } from '@tessera/kernel/grpc';
import { type Scope, splitTokenScope } from '@tessera/kernel/scope';
import type { Claims } from '@tessera/kernel/tokens';
import type { Subject } from '../../../domain/subject.ts';
import { errors } from '../../../errors.ts';
import type { CredentialLimit } from './limit.ts';
import type { NoteRefusal } from './refusals.ts';

/** An application that is let in: its verified token, and the scope within which it may ask. */
export type Application = {
  readonly claims: Claims;
  readonly token: string;
  readonly subject: Subject;
  readonly scope: Scope;
  readonly arrival: Arrival;
};

type Deps = {
  readonly verifyToken: (token: string) => Promise<Claims>;
  readonly limit: CredentialLimit;
  readonly noteRefusal: NoteRefusal;
};

export function createAdmit({ verifyToken, limit, noteRefusal }: Deps): (arrival: Arrival) => Promise<Application> {
  const verified = async (token: string): Promise<Claims> => {
    try {
      return await verifyToken(token);
    } catch (error) {
      throw error instanceof AppError && error.kind === 'unauthenticated' ? errors.callCredentials({ cause: error }) : error;
    }
  };
  return async (arrival) => {
    const token = /^Bearer (\S+)$/i.exec(arrival.authorization ?? '')?.[1];
    if (token === undefined) throw errors.callCredentials();
    const claims = await verified(token);
    limit.take(claims.jti, 1);
    if (claims.type !== 'apiKey' || claims.scope === undefined) {
      const refusal = errors.machineOnly({ params: { type: claims.type } });
      noteRefusal({ claims, token, arrival }, refusal);
      throw refusal;
    }
    return { claims, token, subject: subjectOf(claims), scope: splitTokenScope(claims.scope).scope, arrival };
  };
}
