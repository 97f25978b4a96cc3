import type { SignInDeps } from '../deps.ts';
import { errors } from '../errors.ts';
import type { Connection } from '../storage/connections.ts';

/** 409 when its key is not configured any more: then it must be entered again. */
export function openSecret({ id, clientSecret, sealedWith }: Connection, deps: Pick<SignInDeps, 'connectionSecrets' | 'logger'>): string {
  if (clientSecret === null || sealedWith === null) throw errors.connectionSecretLost();
  try {
    return deps.connectionSecrets.open(id, { secret: clientSecret, sealedWith });
  } catch (error) {
    deps.logger.error(
      { err: error, connectionId: id },
      'the secret of a connection is sealed under a key that AUTH_FACTOR_SECRETS does not hold',
    );
    throw errors.connectionSecretLost();
  }
}
