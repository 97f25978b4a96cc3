/** Client secrets: those of apps are kept as digests, those of operator tools are configured. */
import { findAppSecrets, markAppSecretUsed, matchAppSecret } from '../storage/project-app-secrets.ts';
import { findClientApp, findPlatformClient } from './clients.ts';
import { isPlatformSecret } from './platform-clients.ts';
import { currentRequest } from './request.ts';

export async function isClientSecret(clientId: string, secret: string): Promise<boolean> {
  const { deps, now } = currentRequest().context;
  const own = findPlatformClient(clientId);
  if (own !== undefined) return isPlatformSecret(own, secret);
  const app = await findClientApp(clientId);
  const matched = app && matchAppSecret(await findAppSecrets(deps.database, app.id), secret);
  if (matched === undefined) return false;
  await deps.database.transaction((tx) => markAppSecretUsed(tx, matched, now));
  return true;
}
