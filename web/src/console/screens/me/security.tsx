import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { type PublicKeyCredentialCreationOptionsJSON, startRegistration } from '@simplewebauthn/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Output } from '@tessera/client';
import { useState } from 'react';
import { renderSVG } from 'uqr';
import { Problem, Waiting } from '../../../look/page.tsx';
import { CodeField } from '../../../parts/code-field.tsx';
import { messageOfAnswer, requireCode, useForm } from '../../../parts/form.ts';
import { passkeyProblem } from '../../../parts/second-factor.tsx';
import { meQuery, tessera } from '../../../session/tessera.ts';
import { useWords } from '../../../words/language.tsx';
import { useDialog } from '../../base/address.ts';
import { useMe } from '../../base/me.tsx';
import { Modal } from '../../base/modal.tsx';
import { Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { Copyable } from '../../parts/form/secret.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { RenameFactor } from './rename-factor.tsx';

const queryKey = ['second factors'];

/** One's own second factors: enrol, name, remove, recovery codes. */
export function Security() {
  const me = useMe();
  const { t, language } = useWords();
  const texts = useTexts();
  const dialog = useDialog();
  const queries = useQueryClient();
  const list = useQuery({ queryKey, queryFn: () => tessera.getMySecondFactors() });
  const [enrolling, setEnrolling] = useState<Output<'enrollTotp'>>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [problem, setProblem] = useState<string>();

  const refresh = async () => {
    await tessera.session.refresh();
    await queries.invalidateQueries({ queryKey });
    await queries.invalidateQueries({ queryKey: meQuery.queryKey });
  };
  const change = async (work: () => Promise<void>): Promise<void> => {
    setProblem(undefined);
    try {
      await work();
      await refresh();
    } catch (error) {
      setProblem(passkeyProblem(error));
    }
  };
  const addPasskey = () =>
    change(async () => {
      const optionsJSON = (await tessera.getPasskeyCreationOptions()) as unknown as PublicKeyCredentialCreationOptionsJSON;
      const credential = { ...(await startRegistration({ optionsJSON })) };
      setCodes((await tessera.createPasskey({ credential })).recoveryCodes);
    });
  const items = list.data?.items ?? [];
  const chosen = items.find(({ id }) => id === dialog.id);
  const hasTotp = items.some(({ kind, isConfirmed }) => kind === 'totp' && isConfirmed);
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('security')}
      </Title>
      {list.isPending ? <Waiting /> : null}
      {list.error ? <Retry error={list.error} again={() => void list.refetch()} /> : null}
      <Text c="dimmed">{texts.t('securityText')}</Text>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <ul className="list">
        {items
          .filter(({ isConfirmed }) => isConfirmed)
          .map(({ id, kind, name, createdAt, remaining }) => (
            <li key={id}>
              <div>
                <div>{kind === 'recoveryCodes' ? t('recoveryCodes') : name}</div>
                <Text c="dimmed" size="sm">
                  {kind === 'recoveryCodes'
                    ? t('codesLeft', { count: String(remaining ?? 0) })
                    : new Date(createdAt).toLocaleDateString(language, { dateStyle: 'medium' })}
                </Text>
              </div>
              {kind === 'recoveryCodes' ? (
                <Button size="xs" variant="default" onClick={() => dialog.open('renew-codes')}>
                  {t('renewCodes')}
                </Button>
              ) : (
                <Group gap="xs" wrap="nowrap">
                  <Button size="xs" variant="default" aria-label={`${texts.t('rename')} ${name}`} onClick={() => dialog.open('rename', id)}>
                    {texts.t('rename')}
                  </Button>
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`${t('remove')} ${name}`}
                    onClick={() => dialog.open('remove-factor', id)}
                  >
                    {t('remove')}
                  </Button>
                </Group>
              )}
            </li>
          ))}
      </ul>
      <Group gap="xs">
        {hasTotp ? null : (
          <Button size="sm" onClick={() => void change(async () => setEnrolling(await tessera.enrollTotp()))}>
            {t('addTotp')}
          </Button>
        )}
        <Button size="sm" variant="default" onClick={() => void addPasskey()}>
          {t('addPasskey')}
        </Button>
        {me.acr === 'aal2' ? <Badge variant="outline">{t('twoFactors')}</Badge> : null}
      </Group>
      {dialog.name === 'rename' && chosen ? (
        <RenameFactor factor={chosen} done={() => queries.invalidateQueries({ queryKey })} close={dialog.close} />
      ) : null}
      {dialog.name === 'remove-factor' && chosen ? (
        <Confirm
          title={texts.t('removeNamed', { name: chosen.name })}
          text={texts.t('removeFactorText')}
          button={t('remove')}
          said={texts.t('removed', { name: chosen.name })}
          run={() => tessera.deleteSecondFactor({ id: chosen.id })}
          close={dialog.close}
          done={() => void refresh()}
        />
      ) : null}
      {dialog.name === 'renew-codes' ? (
        <Confirm
          title={texts.t('renewCodesTitle')}
          text={texts.t('renewCodesText')}
          button={t('renewCodes')}
          said={texts.t('codesRenewed')}
          run={async () => setCodes((await tessera.renewRecoveryCodes()).recoveryCodes)}
          close={dialog.close}
          done={() => void refresh()}
        />
      ) : null}
      <Enrolment enrolling={enrolling} confirmed={setCodes} change={change} close={() => setEnrolling(undefined)} />
      {codes === undefined ? null : <RecoveryCodes codes={codes} close={() => setCodes(undefined)} />}
    </section>
  );
}

type EnrolmentProps = {
  readonly enrolling: Output<'enrollTotp'> | undefined;
  readonly confirmed: (codes: readonly string[] | undefined) => void;
  readonly change: (work: () => Promise<void>) => Promise<void>;
  readonly close: () => void;
};

/** The QR code and the secret as text; a code of the app confirms them. */
function Enrolment({ enrolling, confirmed, change, close }: EnrolmentProps) {
  const { t } = useWords();
  const { form, field, problem, isPending } = useForm({
    initial: { code: '' },
    check: { code: requireCode },
    serverFields: { code: 'code' },
    send: async ({ code }) => {
      if (enrolling === undefined) return;
      const { recoveryCodes } = await tessera.confirmSecondFactor({ id: enrolling.factor.id, code });
      close();
      confirmed(recoveryCodes);
      await change(async () => undefined);
    },
    say: messageOfAnswer('totp'),
  });
  return (
    <Modal opened={enrolling !== undefined} onClose={close} title={t('addTotp')} closeButtonProps={{ 'aria-label': t('close') }}>
      {enrolling === undefined ? null : (
        <form {...form}>
          <Stack gap="md">
            <Text>{t('scanText')}</Text>
            <img src={`data:image/svg+xml,${encodeURIComponent(renderSVG(enrolling.uri))}`} alt={t('qrCode')} width={220} height={220} />
            <fieldset className="unframed" aria-label={t('secretText')}>
              <Copyable value={enrolling.secret} />
            </fieldset>
            {problem === undefined ? null : <Problem>{problem}</Problem>}
            <CodeField {...field('code')} label={t('code')} data-autofocus />
            <Button type="submit" loading={isPending}>
              {t('continue')}
            </Button>
          </Stack>
        </form>
      )}
    </Modal>
  );
}
