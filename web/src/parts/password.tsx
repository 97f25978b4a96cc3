import { PasswordInput, Stack, Text } from '@mantine/core';
import { brokenPasswordRules, type PasswordRule } from '@tessera/rules/password-policy';
import { useId } from 'react';
import { useWords } from '../words/language.tsx';
import type { TextKey } from '../words/texts.ts';

/** These are always shown. The others appear when a password breaks them. */
const shown: readonly PasswordRule[] = ['tooShort', 'noUppercase', 'noLowercase', 'noDigit', 'noSpecial'];

export function requireGoodPassword(value: string): TextKey | undefined {
  if (value === '') return 'enterPassword';
  return brokenPasswordRules(value).length > 0 ? 'passwordRulesOpen' : undefined;
}

type FieldProps = {
  readonly name: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (event: { readonly currentTarget: HTMLInputElement }) => void;
};

export function PasswordField({ label, isNew = false, ...field }: FieldProps & { readonly label: string; readonly isNew?: boolean }) {
  const { t } = useWords();
  const rulesId = useId();
  return (
    <Stack gap="xs">
      <PasswordInput
        {...field}
        aria-invalid={field.error !== undefined}
        label={label}
        autoComplete={isNew ? 'new-password' : 'current-password'}
        visibilityToggleButtonProps={{ 'aria-label': t('showPassword'), 'aria-hidden': false, tabIndex: 0 }}
        {...(isNew ? { 'aria-describedby': rulesId } : {})}
      />
      {isNew ? <PasswordRules id={rulesId} password={field.value} /> : null}
    </Stack>
  );
}

/** The rules of the server, ticked off while the password is typed. */
function PasswordRules({ id, password }: { readonly id: string; readonly password: string }) {
  const { t } = useWords();
  const broken = new Set(brokenPasswordRules(password));
  const further = password === '' ? [] : [...broken].filter((rule) => !shown.includes(rule));
  return (
    <div id={id}>
      <Text size="sm" c="dimmed" mb={4}>
        {t('ruleTitle')}
      </Text>
      <ul className="rules">
        {[...shown, ...further].map((rule) => {
          const isMet = password !== '' && !broken.has(rule);
          return (
            <li key={rule} data-met={shown.includes(rule) ? isMet : 'broken'}>
              <svg viewBox="0 0 12 12" role="img" aria-label={t(isMet ? 'ruleMet' : 'ruleOpen')}>
                {isMet ? (
                  <path d="M1.5 6.5l3 3 6-7" fill="none" stroke="currentColor" strokeWidth="2" />
                ) : (
                  <circle cx="6" cy="6" r="3.5" fill="none" stroke="currentColor" strokeWidth="1.5" />
                )}
              </svg>
              <span>{t(rule)}</span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
