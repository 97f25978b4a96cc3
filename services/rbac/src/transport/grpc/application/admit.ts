/**
 * Applications call rbac.v1.Authorization with the access token of an API key, a machine app or a
 * service account. These are of type apiKey: they belong to one program and one place, and one
 * revocation ends them. A session is a person's, and a projectApp token is what a person lent to an
 * app.
 */
import { subjectOf } from '@tessera/kernel/authorization';
import { AppError, failures } from '@tessera/kernel/errors';
import type { Arrival } from '@tessera/kernel/grpc';
import { isTokenScope, type Scope, splitTokenScope } from '@tessera/kernel/scope';
import { type Claims, credentialOf, isForAnotherApi, isWithin } from '@tessera/kernel/tokens';
import type { Subject } from '../../../domain/subject.ts';
import { errors } from '../../../errors.ts';
import type { CredentialLimit } from './limit.ts';
import { addressOf, type NoteRefusal } from './refusals.ts';

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
    // A DPoP proof is for an HTTP request, and gRPC has none.
    if (isForAnotherApi(claims) || claims.keyThumbprint !== undefined) throw errors.callCredentials();
    limit.take(credentialOf(claims), 1);
    const refuse = (refusal: AppError): never => {
      noteRefusal({ claims, token, arrival }, refusal);
      throw refusal;
    };
    const scope = claims.type === 'apiKey' ? scopeOfToken(claims) : undefined;
    if (scope === undefined) return refuse(errors.machineOnly({ params: { type: claims.type } }));
    const networks = claims.service?.networks;
    if (networks !== undefined && !isWithin(networks, addressOf(arrival))) return refuse(failures.networkNotAllowed());
    return { claims, token, subject: subjectOf(claims), scope, arrival };
  };
}

/** Undefined for the platform's service accounts: what they do is no question of a tenant. */
export function scopeOfToken({ scope }: Claims): Scope | undefined {
  if (scope === undefined) return undefined;
  if (isTokenScope(scope)) return splitTokenScope(scope).scope;
  return scope.tenant === 'platform' ? undefined : { tenant: scope.tenant, id: scope.id };
}
