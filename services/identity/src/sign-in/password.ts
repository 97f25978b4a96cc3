import { brokenPasswordRule } from '../domain/password-policy.ts';
import { passwordRefusal } from '../errors.ts';

/** Refuses (400, with the field and the rule) a password that the policy does not allow. */
export function assertPasswordAllowed(password: string, field: string): void {
  const rule = brokenPasswordRule(password);
  if (rule !== undefined) throw passwordRefusal(field, rule);
}
