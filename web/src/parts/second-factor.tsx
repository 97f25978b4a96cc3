import { Button, Stack, TextInput } from '@mantine/core';
import { browserSupportsWebAuthn, type PublicKeyCredentialRequestOptionsJSON, startAuthentication } from '@simplewebauthn/browser';
import type { Output } from '@tessera/client';
import { useState } from 'react';
import { Card, Problem } from '../look/page.tsx';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { translate } from '../words/spoken.ts';
import type { TextKey } from '../words/texts.ts';
import { CodeField } from './code-field.tsx';
import { messageOfAnswer, requireCode, useForm } from './form.ts';
import { StartRecovery } from './start-recovery.tsx';

export type Due = NonNullable<Output<'login'>['secondFactor']>;
type Method = 'totp' | 'passkey' | 'recoveryCode';

/** The browser's answer to options of the server. */
export async function answerWithPasskey(options: unknown): Promise<Record<string, unknown>> {
  return { ...(await startAuthentication({ optionsJSON: options as PublicKeyCredentialRequestOptionsJSON })) };
}

type FormProps = { readonly due: Due; readonly done: (redirectTo: string | undefined) => void };

/** Asks for the second factor of a sign-in whose first factor was right. */
export function SecondFactorForm({ due: { token, methods }, done }: FormProps) {
  const { t } = useWords();
  const [method, setMethod] = useState<Method>(methods.includes('totp') ? 'totp' : (methods[0] ?? 'recoveryCode'));
  const [isLost, setLost] = useState(false);
  const others = methods.filter((other) => other !== method);
  if (isLost) return <StartRecovery token={token} back={() => setLost(false)} />;
  return (
    <Card title={t('secondFactorTitle')} text={t(`secondFactor_${method}`)}>
      {method === 'passkey' ? (
        <PasskeyFactor token={token} done={done} />
      ) : (
        <CodeFactor key={method} token={token} method={method} done={done} />
      )}
      {others.map((other) => (
        <Button key={other} variant="default" onClick={() => setMethod(other)}>
          {t(`use_${other}`)}
        </Button>
      ))}
      <Button variant="default" onClick={() => setLost(true)}>
        {t('recoveryLost')}
      </Button>
    </Card>
  );
}

type StepProps = { readonly token: string; readonly done: FormProps['done'] };

function CodeFactor({ token, method, done }: StepProps & { readonly method: 'totp' | 'recoveryCode' }) {
  const { t } = useWords();
  const { form, field, problem, isPending } = useForm({
    initial: { code: '' },
    check: { code: requireCode },
    serverFields: { code: 'code' },
    send: async ({ code }) => done((await tessera.completeSecondFactor({ token, method, code })).redirectTo),
    say: messageOfAnswer(method),
  });
  return (
    <form {...form}>
      <Stack gap="md">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        {method === 'totp' ? (
          <CodeField {...field('code')} label={t('code')} autoFocus />
        ) : (
          <TextInput {...field('code')} label={t('recoveryCodeLabel')} autoComplete="one-time-code" autoFocus />
        )}
        <Button type="submit" loading={isPending} fullWidth>
          {t('continue')}
        </Button>
      </Stack>
    </form>
  );
}

function PasskeyFactor({ token, done }: StepProps) {
  const { t } = useWords();
  const prove = async () => {
    const credential = await answerWithPasskey(await tessera.getSecondFactorOptions({ token }));
    done((await tessera.completeSecondFactor({ token, method: 'passkey', credential })).redirectTo);
  };
  return <PasskeyButton label={t('use_passkey')} act={prove} />;
}

const reasons: Readonly<Record<string, TextKey>> = {
  NotAllowedError: 'passkeyCancelled',
  AbortError: 'passkeyCancelled',
  InvalidStateError: 'passkeyKnown',
  ConstraintError: 'passkeyUnfit',
  NotSupportedError: 'passkeyUnfit',
  SecurityError: 'passkeyElsewhere',
};

/** Why a ceremony of the browser failed, and what to do about it. */
export function passkeyProblem(error: unknown): string {
  if (!browserSupportsWebAuthn()) return translate('passkeyUnsupported');
  const reason = Error.isError(error) ? reasons[error.name] : undefined;
  return reason === undefined ? messageOfAnswer('passkey')(error) : translate(reason);
}

/** Runs a ceremony of the browser, which the person may cancel. */
export function PasskeyButton({ label, act, variant = 'filled' }: { label: string; act: () => Promise<void>; variant?: string }) {
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const run = () => {
    setPending(true);
    setProblem(undefined);
    act()
      .catch((error: unknown) => setProblem(passkeyProblem(error)))
      .finally(() => setPending(false));
  };
  return (
    <Stack gap="xs">
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Button variant={variant} loading={isPending} onClick={run} fullWidth>
        {label}
      </Button>
    </Stack>
  );
}
