import { Button, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { Problem } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { Icon } from '../../base/icon.tsx';
import { useMe } from '../../base/me.tsx';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { download } from '../../parts/form/secret.tsx';

export function Screen() {
  const { t } = useTexts();
  const { user, email } = useMe();
  const dialog = useDialog();
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    setProblem(undefined);
    try {
      download('tessera-my-data.json', JSON.stringify(await tessera.exportMyData(), null, 2));
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setPending(false);
    }
  };
  return (
    <>
      <Head title={t('yourData')} text={t('yourDataText')} />
      <div className="panels">
        <section className="panel">
          <Title order={2} size="h4">
            {t('exportTitle')}
          </Title>
          <Text c="dimmed">{t('exportText')}</Text>
          {problem === undefined ? null : <Problem>{problem}</Problem>}
          <div>
            <Button variant="default" leftSection={<Icon name="download" />} loading={isPending} onClick={() => void save()}>
              {t('download')}
            </Button>
          </div>
        </section>
        <section className="panel">
          <Title order={2} size="h4">
            {t('deleteAccount')}
          </Title>
          <Text c="dimmed">{t('deleteAccountText')}</Text>
          <div>
            <Button className="danger-button" onClick={() => dialog.open('delete')}>
              {t('deleteAccount')}
            </Button>
          </div>
        </section>
      </div>
      {dialog.name === 'delete' ? (
        <Confirm
          title={t('deleteAccount')}
          text={t('deleteAccountText')}
          button={t('deleteAccount')}
          name={email ?? user.name}
          said={t('deleted', { name: email ?? user.name })}
          run={() => tessera.deleteMyAccounts()}
          close={dialog.close}
          done={() => tessera.session.forget()}
        />
      ) : null}
    </>
  );
}
