import { Navigate } from '@tanstack/react-router';
import { Card } from '../look/page.tsx';
import { ConsentForm } from '../parts/consent.tsx';
import { WithInteraction } from '../parts/interaction.tsx';
import type { Interaction } from '../session/interactions.ts';
import { useWords } from '../words/language.tsx';
import { ErrorPage } from './error.tsx';
import { usePageSearch } from './search.ts';

/** What an app wants to be able to do in a person's name. */
export function AppConsent() {
  const { interaction: id } = usePageSearch();
  if (id === undefined) return <ErrorPage reason="not_found" />;
  return <WithInteraction id={id}>{(asked) => <Consent id={id} asked={asked} />}</WithInteraction>;
}

function Consent({ id, asked }: { readonly id: string; readonly asked: Interaction }) {
  const { t } = useWords();
  const { app, account } = asked;
  // The session has ended meanwhile.
  if (account === null) return <Navigate to="/auth/sign-in" search={{ return_to: `/auth/project/consent?interaction=${id}` }} replace />;
  const names = { app: app.name };
  return (
    <Card title={t('consentTitle', names)} text={t('signedInAs', { who: account.email ?? account.name })}>
      <ConsentForm id={id} asked={asked} text={t('consentText', names)} />
    </Card>
  );
}
