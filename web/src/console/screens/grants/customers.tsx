import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { tessera } from '../../../session/tessera.ts';
import { NavigationLink } from '../../base/link.tsx';
import { pathOf, usePlaceHere, useProduct } from '../../base/scope.ts';
import { Head } from '../../base/states.tsx';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { FormDialog } from '../../parts/form/dialogs.tsx';
import { CreateButton, useEditDialog } from '../../parts/form/edit.tsx';
import { objectOf } from '../../parts/form/json.ts';
import { useDraft } from '../../parts/form/use-draft.ts';
import { List } from '../../parts/list/list.tsx';
import { Since } from '../../parts/list/since.tsx';
import { customerName, type Grant, GrantStatus, isOpen, narrowedTo, useStateFilters } from './status.tsx';
import { TermsFields, termsInput, termsOf } from './terms.tsx';

/** The organizations that use a project, and the offer to another one. */
export function Screen() {
  const { t, count } = useTexts();
  const scope = useProduct();
  const place = usePlaceHere();
  const dialog = useEditDialog('ProjectGrant');
  const filters = useStateFilters();
  const people = ({ memberCount, maxMembers }: Grant) =>
    maxMembers === null ? count(memberCount) : t('peopleOfTotal', { count: count(memberCount), most: count(maxMembers) });
  const create = <CreateButton needs="ProjectGrant:Create" label={t('newCustomer')} />;
  return (
    <>
      <Head title={t('customers')} text={t('customersText')}>
        {create}
      </Head>
      <List<Grant>
        name="customers"
        label={t('customers')}
        icon="building"
        empty={t('noCustomers')}
        emptyText={t('noCustomersText')}
        sort="createdAt desc"
        filters={filters}
        load={(asked, filter) => tessera.listProjectGrants({ scope, ...asked, ...narrowedTo(filter) })}
        columns={[
          {
            label: t('nameLabel'),
            sort: 'name',
            cell: (grant) => <NavigationLink to={pathOf(place, `customers/${grant.id}`)}>{customerName(grant)}</NavigationLink>,
          },
          { label: t('status'), cell: ({ status }) => <GrantStatus status={status} /> },
          { label: t('offeredRoles'), cell: ({ roles }) => roles.map(({ name }) => name).join(', ') || t('noOfferedRoles') },
          { label: t('peopleWithRoles'), cell: (grant) => (isOpen(grant) ? people(grant) : '–') },
          { label: t('offeredAt'), sort: 'createdAt', cell: ({ createdAt }) => <Since at={createdAt} /> },
        ]}
      />
      {dialog.name === 'create' ? <Offer close={dialog.close} /> : null}
    </>
  );
}

const addressForm = /^\S+@\S+$/;
const idForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

function Offer({ close }: { readonly close: () => void }) {
  const { t } = useTexts();
  const tell = useTell();
  const scope = useProduct();
  const place = usePlaceHere();
  const navigate = useNavigate();
  const draft = useDraft({
    initial: { ...termsOf(), to: '' },
    keepAs: `customer ${scope.id}`,
    serverFields: { organizationId: 'to', email: 'to' },
    check: ({ to, metadata }) => ({
      to: idForm.test(to.trim()) || addressForm.test(to.trim()) ? undefined : t('enterCustomer'),
      metadata: objectOf(metadata) === undefined ? t('enterObject') : undefined,
    }),
    send: async ({ to: typed, ...terms }) => {
      const to = typed.trim();
      const addressee = idForm.test(to) ? { organizationId: to } : { email: to };
      const { id, email, isMailed } = await tessera.createProjectGrant({ scope, ...addressee, ...termsInput(terms) });
      // The page of an offer that was not mailed says so, and what to do.
      if (email === null || isMailed) tell(email === null ? t('offerSent') : t('offerMailed', { email }));
      await navigate({ to: pathOf(place, `customers/${id}`) });
    },
  });
  return (
    <FormDialog title={t('offerProject')} draft={draft} submit={t('sendOffer')} close={close} size="lg">
      <TextInput {...draft.text('to')} label={t('customerTo')} description={t('customerToHelp')} data-autofocus autoComplete="off" />
      <TermsFields draft={draft} />
    </FormDialog>
  );
}
