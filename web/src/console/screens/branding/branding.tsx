import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Output } from '@tessera/client';
import { contrastOf, isColor, leastContrast, shadeFor } from '@tessera/rules/contrast';
import { useState } from 'react';
import { type Face, logoPathOf } from '../../../look/face.tsx';
import { Problem, Waiting } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { useAddress } from '../../base/address.ts';
import { useRights } from '../../base/rights.ts';
import { kindOf, scopeOf, usePlaceHere } from '../../base/scope.ts';
import { Head, Retry } from '../../base/states.tsx';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { Conflict } from '../../parts/form/conflict.tsx';
import { DraftForm } from '../../parts/form/draft-form.tsx';
import { PictureButton, type Upload, usePictureChoice } from '../../parts/form/picture.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { Preview } from './preview.tsx';

type Branding = Output<'getBranding'>;
type Scope = { readonly tenant: 'organization' | 'accountProject' | 'organizationProject'; readonly id: string };
type PlaceOfFace = { readonly scope: Scope; readonly appId?: string };

/** What people see of an organization, a project or an app. */
export function Screen() {
  const { t } = useTexts();
  const place = usePlaceHere();
  const scope = scopeOf(place) as Scope;
  const { search } = useAddress();
  const appId = kindOf(place) === 'project' ? search['app'] : undefined;
  const here = { scope, ...(appId === undefined ? {} : { appId }) };
  const found = useQuery({ queryKey: ['console', 'branding', scope.id, appId], queryFn: () => tessera.getBranding(here) });
  return (
    <>
      <Head title={t('branding')} text={t('brandingText')} />
      {scope.tenant === 'organization' ? null : <ChooseApp scope={{ ...scope, tenant: scope.tenant }} appId={appId} />}
      {found.isPending ? <Waiting /> : null}
      {found.error ? <Retry error={found.error} again={() => void found.refetch()} /> : null}
      {found.data ? <Editor key={`${appId} ${found.data.updatedAt}`} here={here} branding={found.data} /> : null}
    </>
  );
}

type ProjectScope = Scope & { readonly tenant: 'accountProject' | 'organizationProject' };

function ChooseApp({ scope, appId }: { readonly scope: ProjectScope; readonly appId: string | undefined }) {
  const { t } = useTexts();
  const { change } = useAddress();
  const { may } = useRights();
  const { data } = useQuery({
    queryKey: ['console', 'branding apps', scope.id],
    queryFn: () => Array.fromAsync(tessera.listProjectApps({ scope, limit: 100 })),
    enabled: may('ProjectApp:Query'),
  });
  const apps = (data ?? []).filter(({ type }) => type !== 'machine').map(({ id, name }) => ({ value: id, label: name }));
  return (
    <Select
      className="branding-of"
      label={t('brandingOf')}
      data={[{ value: '', label: t('wholeProject') }, ...apps]}
      value={appId ?? ''}
      onChange={(next) => change({ app: next ?? '' })}
      allowDeselect={false}
      searchable={apps.length > 10}
    />
  );
}

type Fields = {
  readonly name: string;
  readonly primary: string;
  readonly background: string;
  readonly termsUrl: string;
  readonly privacyUrl: string;
  readonly supportEmail: string;
};

function fieldsOf({ name, colors, termsUrl, privacyUrl, supportEmail }: Branding): Fields {
  return {
    name: name ?? '',
    primary: colors.primary ?? '',
    background: colors.background ?? '',
    termsUrl: termsUrl ?? '',
    privacyUrl: privacyUrl ?? '',
    supportEmail: supportEmail ?? '',
  };
}

/** A logo that is chosen and not saved yet; null takes it back. */
type Chosen = Upload | null | undefined;

function Editor({ here, branding }: { readonly here: PlaceOfFace; readonly branding: Branding }) {
  const { t } = useTexts();
  const tell = useTell();
  const { may } = useRights();
  const [logo, setLogo] = useState<Chosen>();
  const isFixed = !may('Branding:Update');
  const isHttps = (text: string) => text === '' || /^https:\/\/\S+\.\S+$/.test(text);
  const isColorOrNone = (text: string) => text === '' || isColor(text);
  const draft = useDraft<Fields, Branding>({
    initial: fieldsOf(branding),
    edits: { thing: branding, read: () => tessera.getBranding(here), show: fieldsOf },
    keepAs: `branding ${here.appId ?? here.scope.id}`,
    check: ({ primary, background, termsUrl, privacyUrl }) => ({
      primary: isColorOrNone(primary) ? undefined : t('enterColor'),
      background: isColorOrNone(background) ? undefined : t('enterColor'),
      termsUrl: isHttps(termsUrl) ? undefined : t('enterHttps'),
      privacyUrl: isHttps(privacyUrl) ? undefined : t('enterHttps'),
    }),
    serverFields: { colors: 'primary' },
    send: ({ primary, background, ...texts }, call) =>
      tessera.updateBranding(
        {
          ...here,
          name: orNull(texts.name),
          termsUrl: orNull(texts.termsUrl),
          privacyUrl: orNull(texts.privacyUrl),
          supportEmail: orNull(texts.supportEmail),
          colors: { primary: orNull(primary), background: orNull(background) },
          ...(logo === undefined ? {} : { logo }),
        },
        call,
      ),
    done: () => {
      setLogo(undefined);
      tell(t('saved'));
    },
  });
  const { values } = draft;
  const face = drawn(branding, values, logo);
  const ratio = contrastOf(face.colors.primary, face.colors.background ?? '#ffffff');
  return (
    <div className="panels">
      <section className="panel">
        <DraftForm draft={draft}>
          <TextInput
            {...draft.text('name')}
            label={t('brandName')}
            description={t('brandNameHelp', { name: branding.inherited.name })}
            maxLength={60}
            autoComplete="off"
            disabled={isFixed}
          />
          <Logo
            shown={face.logoUrl}
            isOwn={logo !== null && (logo !== undefined || branding.logoUrl !== null)}
            set={setLogo}
            isFixed={isFixed}
          />
          <Color
            {...draft.text('primary')}
            label={t('brandPrimary')}
            description={t('brandColorHelp', { color: branding.inherited.colors.primary })}
            shown={face.colors.primary}
            isFixed={isFixed}
          />
          <Color
            {...draft.text('background')}
            label={t('brandBackground')}
            description={t('brandColorHelp', { color: branding.inherited.colors.background ?? '#f3f5fb' })}
            shown={face.colors.background ?? '#f3f5fb'}
            isFixed={isFixed}
          />
          <Contrast
            ratio={ratio}
            nearest={shadeFor(face.colors.primary, face.colors.background ?? '#ffffff')}
            take={(color) => draft.set('primary', color)}
          />
          <TextInput {...draft.text('termsUrl')} label={t('brandTerms')} description={t('brandLinkHelp')} type="url" disabled={isFixed} />
          <TextInput
            {...draft.text('privacyUrl')}
            label={t('brandPrivacy')}
            description={t('brandLinkHelp')}
            type="url"
            disabled={isFixed}
          />
          <TextInput {...draft.text('supportEmail')} label={t('brandSupport')} type="email" disabled={isFixed} />
          {draft.other === undefined ? null : <Conflict {...draft.other} />}
          {isFixed ? null : (
            <div>
              <Button type="submit" loading={draft.isPending} disabled={draft.other !== undefined}>
                {t('save')}
              </Button>
            </div>
          )}
        </DraftForm>
      </section>
      <Preview face={face} />
    </div>
  );
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** What would be shown if it were saved now. Colours that are half typed do not count. */
function drawn(
  { inherited, logoUrl }: Branding,
  { name, primary, background, termsUrl, privacyUrl, supportEmail }: Fields,
  logo: Chosen,
): Face {
  const picked = logo === undefined ? undefined : logo === null ? null : `data:${logo.contentType};base64,${logo.file}`;
  return {
    ...inherited,
    name: orNull(name) ?? inherited.name,
    logoUrl: picked === undefined ? (logoUrl ?? inherited.logoUrl) : (picked ?? inherited.logoUrl),
    colors: {
      primary: isColor(primary) ? primary : inherited.colors.primary,
      background: isColor(background) ? background : inherited.colors.background,
    },
    termsUrl: orNull(termsUrl) ?? inherited.termsUrl,
    privacyUrl: orNull(privacyUrl) ?? inherited.privacyUrl,
    supportEmail: orNull(supportEmail) ?? inherited.supportEmail,
  };
}

type LogoProps = {
  readonly shown: string | null;
  readonly isOwn: boolean;
  readonly set: (logo: Chosen) => void;
  readonly isFixed: boolean;
};

function Logo({ shown, isOwn, set, isFixed }: LogoProps) {
  const { t } = useTexts();
  const { problem, choose } = usePictureChoice(set);
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {t('brandLogo')}
      </Text>
      {problem === undefined ? null : <Problem>{problem}</Problem>}
      <Group>
        {shown === null ? null : <img className="face-logo" src={logoPathOf(shown)} alt={t('brandLogo')} />}
        {isFixed ? null : <PictureButton label={t('chooseLogo')} choose={choose} />}
        {isOwn && !isFixed ? (
          <Button variant="subtle" onClick={() => set(null)}>
            {t('removeLogo')}
          </Button>
        ) : null}
      </Group>
      <Text c="dimmed" size="sm">
        {t('brandLogoHelp')}
      </Text>
    </Stack>
  );
}

type ColorProps = {
  readonly label: string;
  readonly description: string;
  readonly name: string;
  readonly value: string;
  readonly error: string | undefined;
  readonly shown: string;
  readonly isFixed: boolean;
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void;
};

/** The colour as text, and the browser's own choice of one. */
function Color({ shown, isFixed, ...field }: ColorProps) {
  const { t } = useTexts();
  return (
    <TextInput
      {...field}
      placeholder={shown}
      maxLength={7}
      spellCheck={false}
      autoComplete="off"
      disabled={isFixed}
      leftSection={
        <input
          type="color"
          className="pick-color"
          aria-label={t('pickColor', { label: field.label })}
          value={shown}
          onChange={field.onChange}
          disabled={isFixed}
        />
      }
      leftSectionWidth={48}
    />
  );
}

type ContrastProps = { readonly ratio: number; readonly nearest: string; readonly take: (color: string) => void };

function Contrast({ ratio, nearest, take }: ContrastProps) {
  const { t, language } = useTexts();
  // Rounded down: 4.49 is not 4.5.
  const shown = (Math.floor(ratio * 10) / 10).toLocaleString(language);
  const isGood = ratio >= leastContrast;
  return (
    <div role="status">
      <Text size="sm" c={isGood ? 'dimmed' : 'var(--mantine-color-error)'}>
        {isGood ? t('contrastGood', { ratio: shown }) : t('contrastBad', { ratio: shown, color: nearest })}
      </Text>
      {isGood ? null : (
        <Button variant="default" size="xs" onClick={() => take(nearest)}>
          {t('useColor', { color: nearest })}
        </Button>
      )}
    </div>
  );
}
