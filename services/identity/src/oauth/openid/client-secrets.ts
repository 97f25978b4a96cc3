/** Client secrets: those of apps are kept as digests, those of operator tools are configured. */
import { markAppSecretUsed, matchAppSecret } from '../../apps/storage/project-app-secrets.ts';
import { isPlatformSecret } from '../platform-clients.ts';
import { findClientApp, findPlatformClient } from './clients.ts';
import type { OpenidRequest } from './request.ts';

export async function isClientSecret(clientId: string, secret: string, request: OpenidRequest): Promise<boolean> {
  const isRight = await isSecretOf(clientId, secret, request);
  if (isRight) request.isClientProven = true;
  return isRight;
}

async function isSecretOf(clientId: string, secret: string, request: OpenidRequest): Promise<boolean> {
  const { context, secrets } = request;
  const own = findPlatformClient(clientId, request);
  if (own !== undefined) return isPlatformSecret(own, secret);
  const app = await findClientApp(clientId, request);
  const matched = app && matchAppSecret(secrets.get(app.id) ?? [], secret);
  if (matched === undefined) return false;
  await markAppSecretUsed(context.deps.database, matched, context.now);
  return true;
}
