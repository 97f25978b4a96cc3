import { Title } from '@mantine/core';
import { tessera } from '../../../session/tessera.ts';
import { Head } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Agents } from '../../parts/agents/agents.tsx';
import { MySupport } from '../../parts/support/mine.tsx';

/** What acts for the person. */
export function Screen() {
  const { t } = useTexts();
  return (
    <>
      <Head title={t('connectedApps')} text={t('connectedAppsText')} />
      <Agents
        name="my agents"
        label={t('connectedApps')}
        emptyText={t('noConnectedAppsText')}
        isOfOrganization={false}
        texts={{ end: t('endAgentText'), allow: t('allowAgentText') }}
        load={(asked) => tessera.listMyAgents(asked)}
        end={(clientId) => tessera.deleteMyAgent({ clientId })}
        allow={(clientId) => tessera.allowMyAgent({ clientId })}
      />
      <div className="below">
        <Title order={2} size="h4">
          {t('mySupport')}
        </Title>
        <MySupport />
      </div>
    </>
  );
}
