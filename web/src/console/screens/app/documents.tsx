import { Button, Group, Switch, TagsInput, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Output } from '@tessera/client';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, usePlaceHere, useProject } from '../../base/scope.ts';
import { Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { Facts } from '../../parts/list/facts.tsx';
import { useScopeChoice } from './edit.tsx';

type Rules = Output<'getClientDocuments'>;

/** The rule for client metadata documents of a project, and the clients that came by one. */
export function Documents() {
  const { t, day } = useTexts();
  const scope = useProject();
  const place = usePlaceHere();
  const { may } = useRights();
  const dialog = useDialog();
  const found = useQuery({
    queryKey: ['console', 'client documents', scope.id],
    queryFn: async () => {
      const rules = await tessera.getClientDocuments({ scope });
      const apps = rules.updatedAt === null ? [] : await Array.fromAsync(tessera.listProjectApps({ scope, limit: 100 }));
      return { rules, known: apps.filter(({ documentUrl }) => documentUrl !== null) };
    },
  });
  const mayUpdate = may('ProjectApp:Update');
  return (
    <section className="section panel" aria-label={t('documentClients')}>
      <Title order={2} size="h4">
        {t('documentClients')}
      </Title>
      <Text c="dimmed" className="wrap">
        {t('documentClientsText')}
      </Text>
      {found.isPending ? <Waiting /> : null}
      {found.error ? <Retry error={found.error} again={() => void found.refetch()} /> : null}
      {found.data ? <Shown rules={found.data.rules} /> : null}
      {found.data && found.data.known.length > 0 ? (
        <ul className="people-list" aria-label={t('knownDocuments')}>
          {found.data.known.map(({ id, name, documentUrl, createdAt }) => (
            <li key={id}>
              <span className="wrap">
                <NavigationLink to={pathOf(place, `apps/${id}`)}>{name}</NavigationLink>
                <small>{documentUrl}</small>
              </span>
              <small>{t('cameFirst', { day: day(createdAt) })}</small>
            </li>
          ))}
        </ul>
      ) : null}
      {found.data && mayUpdate ? (
        <Group>
          <Button variant="default" onClick={() => dialog.open('documents')}>
            {t('editDocumentClients')}
          </Button>
        </Group>
      ) : null}
      {found.data && mayUpdate && dialog.name === 'documents' ? <Edit rules={found.data.rules} close={dialog.close} /> : null}
    </section>
  );
}

function Shown({ rules: { allowClientMetadataDocuments, clientDomains, clientScopes } }: { readonly rules: Rules }) {
  const { t } = useTexts();
  return (
    <Facts
      facts={[
        [t('allowDocuments'), t(allowClientMetadataDocuments ? 'yes' : 'no')],
        [t('documentHosts'), clientDomains.join('\n') || '–'],
        [t('documentScopes'), clientScopes.join(', ') || '–'],
      ]}
    />
  );
}

type Fields = Omit<Rules, 'updatedAt'>;

function fieldsOf({ allowClientMetadataDocuments, clientDomains, clientScopes }: Rules): Fields {
  return { allowClientMetadataDocuments, clientDomains, clientScopes };
}

/** Sends the changed fields alone, for the version that is shown. */
function Edit({ rules, close }: { readonly rules: Rules; readonly close: () => void }) {
  const { t } = useTexts();
  const scope = useProject();
  const scopes = useScopeChoice();
  const draft = useDraft<Fields, Rules>({
    initial: fieldsOf(rules),
    edits: { thing: rules, read: () => tessera.getClientDocuments({ scope }), show: fieldsOf },
    keepAs: `client documents ${scope.id}`,
    check: ({ allowClientMetadataDocuments, clientDomains }) => ({
      clientDomains: allowClientMetadataDocuments && clientDomains.length === 0 ? t('enterDocumentHost') : undefined,
    }),
    send: (fields, { ifMatch = rules }) => tessera.updateClientDocuments({ scope, ...changesOf(fieldsOf(ifMatch), fields) }, { ifMatch }),
    done: close,
  });
  const left = rules.clientDomains.filter((host) => !draft.values.clientDomains.includes(host));
  const isStopped = rules.allowClientMetadataDocuments && !draft.values.allowClientMetadataDocuments;
  return (
    <FormDialog title={t('editDocumentClients')} draft={draft} submit={t('save')} close={close} size="lg">
      <Switch
        label={t('allowDocuments')}
        checked={draft.values.allowClientMetadataDocuments}
        onChange={({ currentTarget }) => draft.set('allowClientMetadataDocuments', currentTarget.checked)}
      />
      <TagsInput {...draft.field('clientDomains')} label={t('documentHosts')} description={t('documentHostsHelp')} acceptValueOnBlur />
      <TagsInput
        {...draft.field('clientScopes')}
        label={t('documentScopes')}
        description={t('documentScopesHelp')}
        data={scopes}
        acceptValueOnBlur
      />
      {left.length > 0 || isStopped ? <Text className="wrap">{t('documentClientsEnd')}</Text> : null}
    </FormDialog>
  );
}

function changesOf(before: Fields, after: Fields): Partial<Fields> {
  const names = Object.keys(after) as (keyof Fields)[];
  return Object.fromEntries(names.filter((name) => String(before[name]) !== String(after[name])).map((name) => [name, after[name]]));
}
