/** One-time codes of an app (RFC 6238): six digits, 30 s, SHA-1, one step of tolerance. */
import { generateSecret, generateURI, verifySync } from 'otplib';

const periodSeconds = 30;

export function newTotpSecret(): string {
  return generateSecret();
}

export function totpUri(secret: string, label: string, issuer: string): string {
  return generateURI({ secret, label, issuer });
}

/** The time step that a code belongs to; undefined for a wrong one. */
export function stepOfCode(secret: string, code: string, now: Date): number | undefined {
  const token = code.replaceAll(/\s/g, '');
  if (!/^\d{6}$/.test(token)) return undefined;
  const result = verifySync({ secret, token, epoch: Math.floor(now.getTime() / 1_000), epochTolerance: periodSeconds });
  return result.valid && 'timeStep' in result ? result.timeStep : undefined;
}
