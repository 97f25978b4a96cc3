import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TesseraError } from '@tessera/client';
import { useEffect, useRef, useState } from 'react';
import { Problem, Waiting } from '../../look/page.tsx';
import { useAddressCode } from '../../parts/address-code.tsx';
import { CodeField } from '../../parts/code-field.tsx';
import { messageOf, messageOfAnswer, requireCode, requirePassword, useForm } from '../../parts/form.ts';
import { answerWithPasskey, PasskeyButton } from '../../parts/second-factor.tsx';
import { onConfirmation } from '../../session/confirmation-window.ts';
import { meQuery, optionsQuery, queries, setProver, tessera } from '../../session/tessera.ts';
import { NavigationLink } from '../base/link.tsx';
import { Modal } from '../base/modal.tsx';
import { useTexts } from '../base/words.ts';

type Asked = { readonly code: TesseraError['code']; readonly answer: (isProven: boolean) => void };
type Proof = Parameters<typeof tessera.confirmIdentity>[0];

/**
 * Whatever screen asks for something that needs a fresh sign-in or a second factor: this dialog
 * comes over it, and the request is repeated. The screen keeps what was typed.
 */
export function ProveIdentity() {
  const [asked, setAsked] = useState<Asked>();
  // Several requests at once ask one question.
  const pending = useRef<Promise<boolean>>(undefined);
  useEffect(() => {
    setProver(({ code }) => {
      pending.current ??= new Promise<boolean>((resolve) => setAsked({ code, answer: resolve })).finally(() => {
        pending.current = undefined;
        setAsked(undefined);
      });
      return pending.current;
    });
    return () => setProver(undefined);
  }, []);
  return asked === undefined ? null : <Dialog {...asked} />;
}

function Dialog({ code, answer }: Asked) {
  const { t } = useTexts();
  const { data: ways } = useQuery({ queryKey: ['proofs'], queryFn: waysToProve, staleTime: 0 });
  const prove = async (proof: Proof) => {
    await tessera.confirmIdentity(proof);
    await tessera.session.refresh();
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
    answer(true);
  };
  const hasFactor = ways !== undefined && ways.factors.length > 0;
  const isNeeded = ways !== undefined && !hasFactor && code === 'SECOND_FACTOR_REQUIRED';
  return (
    <Modal
      opened
      onClose={() => answer(false)}
      title={t(titleOf(code, isNeeded))}
      zIndex={400}
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {code === 'ADDRESS_NOT_HELD' ? <ByMailedCode held={() => answer(true)} /> : null}
      {ways === undefined && code !== 'ADDRESS_NOT_HELD' ? <Waiting /> : null}
      {isNeeded ? <NoFactor leave={() => answer(false)} /> : null}
      {hasFactor && code !== 'ADDRESS_NOT_HELD' ? <ByFactor factors={ways.factors} prove={prove} /> : null}
      {ways !== undefined && !hasFactor && code === 'FRESH_SIGN_IN_REQUIRED' ? <ByFirstFactor ways={ways} prove={prove} /> : null}
    </Modal>
  );
}

async function waysToProve() {
  const [factors, methods] = await Promise.all([tessera.getMySecondFactors(), tessera.listMyAuthenticationMethods({ limit: 100 })]);
  const kinds = new Set(factors.items.filter(({ isConfirmed }) => isConfirmed).map(({ kind }) => kind));
  return { factors: [...kinds], providers: methods.items.map(({ provider }) => provider) };
}
type Ways = Awaited<ReturnType<typeof waysToProve>>;
type Prove = (proof: Proof) => Promise<void>;

function titleOf(code: Asked['code'], isNeeded: boolean) {
  if (code === 'ADDRESS_NOT_HELD') return 'holdTitle';
  return isNeeded ? 'factorNeededTitle' : 'confirmTitle';
}

/** The account does not hold its address yet: a code by mail settles that. */
function ByMailedCode({ held }: { readonly held: () => void }) {
  const { t } = useTexts();
  const { isSent, refusal, request: send, form, field, problem, isPending } = useAddressCode({ held });
  return (
    <Stack gap="md">
      <Text>{t(isSent ? 'holdSent' : 'holdText')}</Text>
      {refusal === undefined ? null : <Problem>{refusal}</Problem>}
      {isSent ? (
        <form {...form}>
          <Stack gap="md">
            {problem === undefined ? null : <Problem>{problem}</Problem>}
            <CodeField {...field('code')} label={t('code')} data-autofocus />
            <Button type="submit" loading={isPending}>
              {t('continue')}
            </Button>
          </Stack>
        </form>
      ) : null}
      <Button variant={isSent ? 'default' : 'filled'} onClick={() => void send()}>
        {t('holdSend')}
      </Button>
    </Stack>
  );
}

/** The organization demands a factor that the person has not set up. */
function NoFactor({ leave }: { readonly leave: () => void }) {
  const { t } = useTexts();
  return (
    <Stack gap="md">
      <Text>{t('factorNeededText')}</Text>
      <NavigationLink to="/console/me/sign-in" onClick={leave}>
        {t('factorNeededLink')}
      </NavigationLink>
    </Stack>
  );
}

function ByFactor({ factors, prove }: { readonly factors: Ways['factors']; readonly prove: Prove }) {
  const { t } = useTexts();
  const [isRecovery, setRecovery] = useState(!factors.includes('totp') && !factors.includes('passkey'));
  const asksForCode = isRecovery || factors.includes('totp');
  const byPasskey = async () => prove({ method: 'passkey', credential: await answerWithPasskey(await tessera.getConfirmOptions()) });
  return (
    <Stack gap="md">
      <Text>{t('confirmText')}</Text>
      {asksForCode ? <CodeForm key={String(isRecovery)} method={isRecovery ? 'recoveryCode' : 'totp'} prove={prove} /> : null}
      {factors.includes('passkey') ? <PasskeyButton label={t('use_passkey')} act={byPasskey} variant="default" /> : null}
      {factors.includes('recoveryCodes') && !isRecovery ? (
        <Button variant="default" onClick={() => setRecovery(true)}>
          {t('use_recoveryCode')}
        </Button>
      ) : null}
    </Stack>
  );
}

function CodeForm({ method, prove }: { readonly method: 'totp' | 'recoveryCode'; readonly prove: Prove }) {
  const { t } = useTexts();
  const { form, field, problem, isPending } = useForm({
    initial: { code: '' },
    check: { code: requireCode },
    serverFields: { code: 'code' },
    send: ({ code }) => prove({ method, code }),
    say: messageOfAnswer(method),
  });
  return (
    <form {...form}>
      <Stack gap="md">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        {method === 'totp' ? (
          <CodeField {...field('code')} label={t('code')} data-autofocus />
        ) : (
          <TextInput {...field('code')} label={t('recoveryCodeLabel')} autoComplete="one-time-code" data-autofocus />
        )}
        <Button type="submit" loading={isPending}>
          {t('continue')}
        </Button>
      </Stack>
    </form>
  );
}

function ByFirstFactor({ ways: { providers }, prove }: { readonly ways: Ways; readonly prove: Prove }) {
  const { t } = useTexts();
  const { data: options } = useQuery(optionsQuery);
  const [problem, setProblem] = useState<string>();
  useEffect(
    () => onConfirmation((code) => void prove({ method: 'provider', code }).catch((error: unknown) => setProblem(messageOf(error)))),
    [prove],
  );
  const others = options?.providers.filter(({ name }) => providers.includes(name)) ?? [];
  const openWindow = (provider: string) => {
    const url = tessera.signInUrl({ provider, action: 'confirm', redirect: '/auth/confirmed' });
    window.open(url, 'tessera-confirmation', 'popup,width=520,height=720');
  };
  return (
    <Stack gap="md">
      <Text>{t('confirmText')}</Text>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      {providers.includes('email') ? <PasswordForm prove={prove} /> : null}
      {others.map(({ name, label }) => (
        <Button key={name} variant="default" onClick={() => openWindow(name)}>
          {t('confirmAt', { provider: label })}
        </Button>
      ))}
    </Stack>
  );
}

function PasswordForm({ prove }: { readonly prove: Prove }) {
  const { t } = useTexts();
  const { form, field, problem, isPending } = useForm({
    initial: { password: '' },
    check: { password: requirePassword },
    serverFields: { password: 'password' },
    send: ({ password }) => prove({ method: 'password', password }),
    say: messageOfAnswer('password'),
  });
  return (
    <form {...form}>
      <Stack gap="md">
        {problem === undefined ? null : <Problem>{problem}</Problem>}
        <PasswordInput
          {...field('password')}
          label={t('password')}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
          data-autofocus
        />
        <Button type="submit" loading={isPending}>
          {t('continue')}
        </Button>
      </Stack>
    </form>
  );
}
