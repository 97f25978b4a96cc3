/** A signed-in person proves their own password. */
import { callerOf, type OperationContext } from '@tessera/kernel/operation';
import type { PasswordMethod } from '../people/storage/authentication-methods.ts';
import type { SignInDeps } from './deps.ts';
import { tryProof } from './factors/proof.ts';
import { comparePassword } from './lockout.ts';

/**
 * Counted for the person like a second factor, besides the lockout: a stolen access token must not
 * be a way to guess. The caller decides how a wrong password is refused.
 */
export async function provePassword(password: string, method: PasswordMethod, context: OperationContext<SignInDeps>) {
  const { deps, now, request } = context;
  const matches = await comparePassword(method.address, password, method, request, deps);
  return tryProof(callerOf(context).userId, async () => matches, undefined, { deps, now, language: request.language });
}
