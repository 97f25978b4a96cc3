import { Button, Stack, Text, TextInput } from '@mantine/core';
import { Navigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Card, Notice, Problem } from '../look/page.tsx';
import { ConsentForm } from '../parts/consent.tsx';
import { useForm } from '../parts/form.ts';
import { WithInteraction } from '../parts/interaction.tsx';
import { type Interaction, isOver } from '../session/interactions.ts';
import { tessera } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { ErrorPage } from './error.tsx';
import { usePageSearch } from './search.ts';

/** Signs in a device: the person types the code that it shows, and confirms (RFC 8628). */
export function Device() {
  const { t } = useWords();
  const { interaction: id, done } = usePageSearch();
  if (done === 'allowed') return <Card title={t('deviceDoneTitle')} text={t('deviceDoneText')} />;
  if (done !== undefined) return <Card title={t('deviceRefusedTitle')} text={t('deviceRefusedText')} />;
  if (id === undefined) return <EnterCode />;
  return <WithInteraction id={id}>{(asked) => <ConfirmDevice id={id} asked={asked} />}</WithInteraction>;
}

function EnterCode() {
  const { t } = useWords();
  const { user_code: given } = usePageSearch();
  const [isWrong, setWrong] = useState(false);
  const [entered, setEntered] = useState<{ readonly id: string; readonly to: (typeof pageOf)[keyof typeof pageOf] }>();
  const { form, field, problem, isPending } = useForm({
    initial: { userCode: (given ?? '').slice(0, longestCode) },
    check: { userCode: (value) => (value.trim() === '' ? 'needCode' : undefined) },
    serverFields: { userCode: 'userCode' },
    send: async ({ userCode }) => {
      setWrong(false);
      try {
        const { id, prompt } = await tessera.enterDeviceCode({ userCode });
        setEntered({ id, to: prompt === 'sign_in' || prompt === 'organization' ? pageOf[prompt] : pageOf.device });
      } catch (error) {
        if (!isOver(error)) throw error;
        setWrong(true);
      }
    },
  });
  if (entered !== undefined) return <Navigate to={entered.to} search={{ interaction: entered.id }} replace />;
  return (
    <Card title={t('deviceTitle')} text={t(given === undefined ? 'deviceText' : 'deviceCompare')}>
      <form {...form}>
        <Stack gap="md">
          {isWrong ? <Problem>{t('deviceWrong')}</Problem> : null}
          {problem === undefined ? null : <Problem>{problem}</Problem>}
          <TextInput
            {...field('userCode')}
            label={t('deviceCode')}
            placeholder="XXXX-XXXX"
            maxLength={longestCode}
            autoComplete="off"
            autoCapitalize="characters"
            spellCheck={false}
            size="lg"
            classNames={{ input: 'user-code' }}
          />
          <Button type="submit" loading={isPending} fullWidth>
            {t('continue')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('deviceCare')}
          </Text>
        </Stack>
      </form>
    </Card>
  );
}

const longestCode = 20;
/** Where each step of it is. */
const pageOf = { sign_in: '/auth/sign-in', organization: '/auth/organization', device: '/auth/device' } as const;

function ConfirmDevice({ id, asked }: { readonly id: string; readonly asked: Interaction }) {
  const { t } = useWords();
  const { app, account, prompt, device } = asked;
  // The session has ended meanwhile.
  if (account === null) return <Navigate to="/auth/sign-in" search={{ return_to: `/auth/device?interaction=${id}` }} replace />;
  if (prompt === 'sign_in' || prompt === 'organization') return <Navigate to={pageOf[prompt]} search={{ interaction: id }} replace />;
  if (prompt !== 'device') return <ErrorPage reason="invalid_request" />;
  return (
    <Card title={t('deviceConfirmTitle', { app: app.name })} text={t('signedInAs', { who: account.email ?? account.name })}>
      <Notice>{t('deviceConfirmText')}</Notice>
      {device === null ? null : (
        <Text className="wrap">
          {t('deviceRequestedBy', { program: device.userAgent || t('deviceUnnamed'), address: device.ipAddress })}
        </Text>
      )}
      <ConsentForm id={id} asked={asked} text={t('consentText', { app: app.name })} />
    </Card>
  );
}
