import { Badge, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { hasSecrets } from '@tessera/rules/app-types';
import { Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useDialog } from '../../base/address.ts';
import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, usePlaceHere, useProject } from '../../base/scope.ts';
import { Head, Missing, Retry } from '../../base/states.tsx';
import { useTexts } from '../../base/words.ts';
import { Delete } from '../../parts/form/edit.tsx';
import { SignInsOverTime } from '../../parts/pictures/over-time.tsx';
import { Claims, EditClaims } from './claims.tsx';
import { Consents } from './consents.tsx';
import { Edit } from './edit.tsx';
import type { App } from './fields.ts';
import { Secrets } from './secrets.tsx';
import { Settings } from './settings.tsx';
import { Setup } from './setup.tsx';
import { TryIt } from './try-it.tsx';

/** One app: what it may do, how it is set up, its secrets, and who allowed it what. */
export function Screen() {
  const scope = useProject();
  const { appId = '' } = useParams({ strict: false }) as { readonly appId?: string };
  const found = useQuery({
    queryKey: ['console', 'apps', 'one', scope.id, appId],
    queryFn: async () => (await tessera.listProjectApps({ scope, ids: [appId] })).items[0] ?? null,
  });
  if (found.isPending) return <Waiting />;
  if (found.error) return <Retry error={found.error} again={() => void found.refetch()} />;
  return found.data === null ? <Missing /> : <Found app={found.data} />;
}

function Found({ app }: { readonly app: App }) {
  const { t } = useTexts();
  const scope = useProject();
  const place = usePlaceHere();
  const { may } = useRights();
  const dialog = useDialog();
  const navigate = useNavigate();
  const isForPeople = app.type !== 'machine';
  return (
    <>
      <NavigationLink to={pathOf(place, 'apps')}>{t('allApps')}</NavigationLink>
      <Head
        title={app.name}
        text={
          <>
            <Badge variant="light" component="span">
              {t(`appType_${app.type ?? 'none'}`)}
            </Badge>{' '}
            <Text span>{t(`appType_${app.type ?? 'none'}_text`)}</Text>
          </>
        }
      >
        {isForPeople && app.redirectUris.length > 0 ? <Button onClick={() => dialog.open('try')}>{t('tryIt')}</Button> : null}
        {isForPeople && may('Branding:Query') ? (
          <Button variant="default" onClick={() => void navigate({ to: pathOf(place, 'branding'), search: { app: app.id } })}>
            {t('branding')}
          </Button>
        ) : null}
        {app.documentUrl === null && may('ProjectApp:Update') ? (
          <Button variant="default" onClick={() => dialog.open('edit')}>
            {t('edit')}
          </Button>
        ) : null}
        {may('ProjectApp:Delete') ? (
          <Button variant="default" onClick={() => dialog.open('delete')}>
            {t('delete')}
          </Button>
        ) : null}
      </Head>
      <div className="panels">
        <Settings app={app} />
        {app.type !== null && hasSecrets(app) ? <Secrets app={app} /> : null}
        <Setup app={app} />
        {app.type !== null && isForPeople && app.documentUrl === null ? <Claims app={app} /> : null}
      </div>
      <SignInsOverTime scope={scope} app={app} />
      {app.type !== null && isForPeople && may('User:ExportData') ? <Consents app={app} /> : null}
      {dialog.name === 'edit' ? <Edit app={app} close={dialog.close} /> : null}
      {dialog.name === 'claims' ? <EditClaims app={app} close={dialog.close} /> : null}
      {dialog.name === 'try' ? <TryIt app={app} close={dialog.close} /> : null}
      {dialog.name === 'delete' ? (
        <Delete
          name={app.name}
          text={t('deleteAppText')}
          run={() => tessera.deleteProjectApp({ scope, id: app.id })}
          close={dialog.close}
          done={() => void navigate({ to: pathOf(place, 'apps') })}
        />
      ) : null}
    </>
  );
}
