import { Button, NumberInput, Stack, Text, Title } from '@mantine/core';
import { Problem } from '../../look/page.tsx';
import { tessera } from '../../session/tessera.ts';
import { Conflict } from '../form/conflict.tsx';
import { useDraft } from '../form/use-draft.ts';
import { useTell } from '../shell/tell.tsx';
import { useTexts } from '../shell/words.ts';
import type { Tenant } from './tenant.tsx';

const most = 1_000_000_000;
const serverFields = { 'quotas.members': 'members', 'quotas.projects': 'projects', 'quotas.apiKeys': 'apiKeys' } as const;

/** As they stand in the fields: empty is as configured. */
function shown({ quotas: { members, projects, apiKeys } }: Tenant) {
  return { members: String(members ?? ''), projects: String(projects ?? ''), apiKeys: String(apiKeys ?? '') };
}

function limitOf(text: string): number | null {
  return text === '' ? null : Number(text);
}

type LimitsProps = { readonly tenant: Tenant; readonly read: () => Promise<Tenant | undefined> };

/** How many members, projects and keys a tenant may have, beside what it has. */
export function Limits({ tenant, read }: LimitsProps) {
  const { t, count } = useTexts();
  const tell = useTell();
  const { id, tenant: kind, memberCount, projectCount } = tenant;
  const draft = useDraft({
    initial: shown(tenant),
    edits: { thing: tenant, show: shown, read },
    names: [
      { value: '', label: t('asConfigured') },
      { value: '0', label: t('noLimit') },
    ],
    serverFields,
    send: async ({ members, projects, apiKeys }, call) => {
      const quotas = { members: limitOf(members), projects: limitOf(projects), apiKeys: limitOf(apiKeys) };
      await tessera.updateTenantQuotas({ id, quotas }, call);
      tell(t('saved'));
    },
  });
  const limit = (name: 'members' | 'projects' | 'apiKeys', inUse: string) => {
    const { value, error } = draft.field(name);
    return (
      <NumberInput
        label={t(name)}
        description={inUse}
        placeholder={t('asConfigured')}
        value={value}
        error={error}
        onChange={(next) => draft.set(name, String(next))}
        min={0}
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
          {kind === 'organization' ? limit('members', t('membersInUse', { count: count(memberCount) })) : null}
          {limit('projects', t('inUse', { count: count(projectCount) }))}
          {limit('apiKeys', t('keysInUse'))}
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
