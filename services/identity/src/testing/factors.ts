/** People with second factors, for tests. */
import { generateSync } from 'otplib';
import { createAuthenticator } from './authenticator.ts';
import { appUrl, goodPassword, type Registered, registered, type TestService } from './service.ts';

/** Of the time step so many steps away: each code is good once. */
export function codeOf(secret: string, steps = 0): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1_000) + steps * 30 });
}

export type WithTotp = Registered & { readonly secret: string; readonly factorId: string; readonly recoveryCodes: readonly string[] };

/** Confirmed with the code of the step before, so that the current one is unused. */
export async function withTotp(service: TestService, person?: Registered): Promise<WithTotp> {
  const owner = person ?? (await registered(service));
  const token = owner.accessToken;
  const enrolled = await service.ask('POST', '/api/me/second-factors/totp', { token, body: {} });
  if (enrolled.status !== 201) throw new Error(`no secret: ${JSON.stringify(enrolled.body)}`);
  const { secret, factor } = enrolled.body.data;
  const confirmed = await service.ask('POST', `/api/me/second-factors/${factor.id}/confirm`, { token, body: { code: codeOf(secret, -1) } });
  if (confirmed.status !== 200) throw new Error(`no factor: ${JSON.stringify(confirmed.body)}`);
  return { ...owner, secret, factorId: factor.id, recoveryCodes: confirmed.body.data.recoveryCodes };
}

export async function withPasskey(service: TestService, person?: Registered) {
  const owner = person ?? (await registered(service));
  const token = owner.accessToken;
  const authenticator = createAuthenticator(appUrl);
  const options = await service.ask('POST', '/api/me/passkeys/options', { token, body: {} });
  const body = { name: 'Laptop', credential: authenticator.create(options.body.data) };
  const made = await service.ask('POST', '/api/me/passkeys', { token, body });
  if (made.status !== 201) throw new Error(`no passkey: ${JSON.stringify(made.body)}`);
  return { ...owner, authenticator, factorId: made.body.data.factor.id as string, recoveryCodes: made.body.data.recoveryCodes };
}

/** The token of a sign-in that waits for its second factor. */
export async function firstFactor(service: TestService, email: string, userAgent = 'second device') {
  const body = { provider: 'email', providerId: email, providerData: { password: goodPassword } };
  const answer = await service.ask('POST', '/api/auth/login', { body, userAgent });
  return { answer, token: String(answer.body.data?.secondFactor?.token) };
}

export function secondFactor(service: TestService, body: object, userAgent = 'second device') {
  return service.ask('POST', '/api/auth/second-factor', { body, userAgent });
}
