import { Button, NumberInput, Stack, Text, Title } from '@mantine/core';
import { Problem } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import type { Tenant } from '../../parts/audit/tenant.tsx';
import { Conflict } from '../../parts/form/conflict.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';

const most = 1_000_000_000;
const quotas = ['members', 'projects', 'apiKeys', 'requestsPerMinute'] as const;
type Quota = (typeof quotas)[number];
const serverFields = Object.fromEntries(quotas.map((name) => [`quotas.${name}`, name]));

/** As they stand in the fields: empty is null. */
function shown({ quotas: { members, projects, apiKeys, requestsPerMinute } }: Tenant) {
  const text = (limit: number | null) => String(limit ?? '');
  return { members: text(members), projects: text(projects), apiKeys: text(apiKeys), requestsPerMinute: text(requestsPerMinute) };
}

function limitOf(text: string): number | null {
  return text === '' ? null : Number(text);
}

type LimitsProps = { readonly tenant: Tenant; readonly read: () => Promise<Tenant | undefined> };

/** How many members, projects, keys and requests a tenant may have, beside what it has. */
export function Limits({ tenant, read }: LimitsProps) {
  const { t, count } = useTexts();
  const tell = useTell();
  const { id, tenant: kind, memberCount, openInvitationCount, projectCount } = tenant;
  const places = count(memberCount + openInvitationCount);
  const parts = { members: count(memberCount), invitations: count(openInvitationCount) };
  const draft = useDraft({
    initial: shown(tenant),
    edits: { thing: tenant, show: shown, read },
    names: [
      { value: '', label: t('notSet') },
      { value: '0', label: t('noLimit') },
    ],
    serverFields,
    send: async (values, call) => {
      const wanted = {
        members: limitOf(values.members),
        projects: limitOf(values.projects),
        apiKeys: limitOf(values.apiKeys),
        requestsPerMinute: limitOf(values.requestsPerMinute),
      };
      await tessera.updateTenantQuotas({ id, quotas: wanted }, call);
      tell(t('saved'));
    },
  });
  const limit = (name: Quota, inUse: string) => {
    const { value, error } = draft.field(name);
    return (
      <NumberInput
        label={t(name)}
        description={inUse}
        placeholder={t(name === 'requestsPerMinute' ? 'noLimit' : 'asConfigured')}
        value={value}
        error={error}
        onChange={(next) => draft.set(name, String(next))}
        min={name === 'requestsPerMinute' ? 1 : 0}
        allowNegative={false}
        max={most}
        allowDecimal={false}
        hideControls
      />
    );
  };
  return (
    <section className="panel">
      <Title order={2} size="h4">
        {t('limits')}
      </Title>
      <Text c="dimmed">{t('limitsText')}</Text>
      <form {...draft.form}>
        <Stack gap="md">
          {draft.problem === undefined ? null : <Problem>{draft.problem}</Problem>}
          {kind === 'organization' ? limit('members', t('membersInUse', { count: places, ...parts })) : null}
          {limit('projects', t('inUse', { count: count(projectCount) }))}
          {limit('apiKeys', t('keysInUse'))}
          {limit('requestsPerMinute', t('requestsInUse'))}
          {draft.other === undefined ? null : <Conflict {...draft.other} />}
          <div>
            <Button type="submit" loading={draft.isPending} disabled={draft.other !== undefined}>
              {t('save')}
            </Button>
          </div>
        </Stack>
      </form>
    </section>
  );
}
