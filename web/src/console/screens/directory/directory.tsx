import { Text, Title } from '@mantine/core';
import { useRights } from '../../base/rights.ts';
import { useOrganization } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Copyable } from '../../parts/form/secret.tsx';
import { SignInOfPeople } from '../connections/around.tsx';
import { Requests } from './requests.tsx';
import { Tokens } from './tokens.tsx';

/** The organization's directory: where it sends to, and what it has sent. */
export function Screen() {
  const { t } = useTexts();
  const { id } = useOrganization();
  const { may } = useRights();
  return (
    <>
      <Head title={t('directory')} text={t('directoryText')} />
      <SignInOfPeople here="directory" />
      <div className="panel-stack">
        <section className="panel">
          <Title order={2} size="h4">
            {t('scimAddress')}
          </Title>
          <Copyable value={`${window.location.origin}/scim/v2/${id}`} />
          <Text size="sm" c="dimmed">
            {t('scimAddressHelp')}
          </Text>
        </section>
        {may('ServiceAccount:Query') ? <Tokens /> : null}
        <Requests />
      </div>
    </>
  );
}
