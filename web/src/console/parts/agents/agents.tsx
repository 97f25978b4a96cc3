import { Badge, Text } from '@mantine/core';
import type { Item } from '@tessera/client';
import { useState } from 'react';
import { wordsOfScope } from '../../../words/scopes.ts';
import { useDialog } from '../../base/address.ts';
import { useTexts } from '../../base/words.ts';
import { actionInWords } from '../audit/words.ts';
import { Confirm } from '../form/dialogs.tsx';
import { allowed } from '../list/actions.ts';
import { List } from '../list/list.tsx';

type Agent = Item<'listMyAgents'>;
type Listed = Agent & { readonly id: string };
type Asked = { readonly page: number; readonly limit: number };
type Page = { readonly items: readonly Agent[]; readonly totalCount: number };

type AgentsProps = {
  readonly name: string;
  readonly label: string;
  readonly emptyText: string;
  /** By an administrator, who takes back what the organization has ended and nothing else. */
  readonly isOfOrganization: boolean;
  readonly texts: { readonly end: string; readonly allow: string };
  readonly load: (asked: Asked) => Promise<Page>;
  readonly end: (clientId: string) => Promise<unknown>;
  readonly allow: (clientId: string) => Promise<unknown>;
};

/** Apps that act for a person: what they may do, what they did last, and a button that ends it. */
export function Agents({ name, label, emptyText, isOfOrganization, texts, load, end, allow }: AgentsProps) {
  const { t, when } = useTexts();
  const dialog = useDialog();
  const { id: clientId } = dialog;
  // After a reload the address names the dialog alone, and the title goes without a name.
  const [chosen, setChosen] = useState<string>();
  const open = (step: string, { id, app }: Listed) => {
    setChosen(app.name);
    dialog.open(step, id);
  };
  const endOf = (agent: Agent) => (isOfOrganization ? agent.endedByOrganizationAt : agent.endedAt);
  return (
    <>
      <List<Listed>
        name={name}
        label={label}
        icon="app"
        empty={t('noConnectedApps')}
        emptyText={emptyText}
        canSearch={false}
        load={async ({ page, limit }) => {
          const found = await load({ page, limit });
          return { ...found, items: found.items.map((agent) => ({ ...agent, id: agent.app.clientId })) };
        }}
        columns={[
          { label: t('nameLabel'), cell: (agent) => <Named agent={agent} /> },
          {
            label: t('project'),
            cell: ({ project, organization }) => [project.name, organization?.name].filter(Boolean).join(' · ') || '–',
          },
          { label: t('agentMay'), cell: ({ scopes }) => <Allowed scopes={scopes} /> },
          { label: t('grantedAt'), cell: ({ grantedAt }) => when(grantedAt) },
          { label: t('lastUsedAt'), cell: (agent) => <Used agent={agent} /> },
          { label: t('lastActions'), cell: ({ lastActions }) => <Acts acts={lastActions} /> },
        ]}
        actions={(agent) =>
          allowed(
            [endOf(agent) === null, { label: t('endAgent'), run: () => open('end', agent), isDangerous: true }],
            [endOf(agent) !== null, { label: t('allowAgent'), run: () => open('allow', agent) }],
          )
        }
      />
      {dialog.name === 'end' && clientId !== undefined ? (
        <Confirm
          title={chosen === undefined ? t('endAgent') : t('endNamed', { name: chosen })}
          text={texts.end}
          button={t('endAgent')}
          said={t('endedAgent')}
          run={() => end(clientId)}
          close={dialog.close}
        />
      ) : null}
      {dialog.name === 'allow' && clientId !== undefined ? (
        <Confirm
          title={chosen === undefined ? t('allowAgent') : t('allowNamed', { name: chosen })}
          text={texts.allow}
          button={t('allowAgent')}
          said={t('allowedAgent')}
          run={() => allow(clientId)}
          close={dialog.close}
        />
      ) : null}
    </>
  );
}

function Named({ agent: { app, isByExchange, endedAt, endedByOrganizationAt } }: { readonly agent: Agent }) {
  const { t } = useTexts();
  return (
    <>
      {app.name}
      {app.domain === null ? null : (
        <Text size="sm" c="dimmed">
          {app.domain}
        </Text>
      )}
      {isByExchange ? (
        <Text size="sm" c="dimmed">
          {t('byExchange')}
        </Text>
      ) : null}
      {endedAt === null ? null : (
        <Badge variant="light" color="gray">
          {t('agentEnded')}
        </Badge>
      )}
      {endedByOrganizationAt === null ? null : (
        <Badge variant="light" color="gray">
          {t('agentEndedByOrganization')}
        </Badge>
      )}
    </>
  );
}

/** When it got its last token, and how often it asked with them. */
function Used({ agent: { lastUsedAt, lastHour, lastDay } }: { readonly agent: Agent }) {
  const { t, when } = useTexts();
  const asked = [
    t('askedInHour', { requests: String(lastHour.requests) }),
    t('askedInDay', { requests: String(lastDay.requests) }),
    ...(lastDay.refused === 0 ? [] : [t('refusedInDay', { refused: String(lastDay.refused) })]),
  ];
  return (
    <>
      {when(lastUsedAt)}
      {lastDay.requests === 0 ? null : (
        <Text size="sm" c={lastDay.refused === 0 ? 'dimmed' : 'inherit'}>
          {asked.join(', ')}
        </Text>
      )}
    </>
  );
}

function Acts({ acts }: { readonly acts: Agent['lastActions'] }) {
  const { when } = useTexts();
  if (acts.length === 0) return '–';
  return (
    <ul className="plain-list">
      {acts.map(({ action, at }, index) => (
        <Text component="li" size="sm" key={`${at} ${action} ${index.toString()}`}>
          {`${actionInWords(action)}, ${when(at)}`}
        </Text>
      ))}
    </ul>
  );
}

function Allowed({ scopes }: { readonly scopes: readonly string[] }) {
  const { t } = useTexts();
  if (scopes.length === 0) return t('byItsRole');
  return (
    <ul className="plain-list">
      {scopes.map((scope) => (
        <Text component="li" size="sm" key={scope}>
          {wordsOfScope(scope, t) ?? scope}
        </Text>
      ))}
    </ul>
  );
}
