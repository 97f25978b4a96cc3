import { Badge, Button, Group, Select, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Input, Output } from '@tessera/client';
import { useEffect, useRef, useState } from 'react';
import { Problem, Waiting } from '../../../look/page.tsx';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import { isLanguage, languages } from '../../../words/spoken.ts';
import { useAddress, useDialog } from '../../base/address.ts';
import { Panel } from '../../base/panel.tsx';
import { useRights } from '../../base/rights.ts';
import { scopeOf, usePlaceHere } from '../../base/scope.ts';
import { Head, Retry } from '../../base/states.tsx';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { Conflict } from '../../parts/form/conflict.tsx';
import { Confirm } from '../../parts/form/dialogs.tsx';
import { DraftForm } from '../../parts/form/draft-form.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import './mail-texts.css';

type MailText = Output<'getMailText'>;
type Place = Pick<Input<'getMailText'>, 'scope' | 'template' | 'language'>;

const names = {
  invitation: 'mail_invitation',
  'verify-email': 'mail_verifyEmail',
  'reset-password': 'mail_resetPassword',
  'magic-link': 'mail_magicLink',
  'grant-offer': 'mail_grantOffer',
} as const;
const templates = Object.keys(names) as (keyof typeof names)[];

/** The texts of the mails in the name of an organization. */
export function Screen() {
  const { t, language: current } = useTexts();
  const { id } = scopeOf(usePlaceHere());
  const { search, change } = useAddress();
  const template = templates.find((name) => name === search['mail']) ?? 'invitation';
  const language = isLanguage(search['language']) ? search['language'] : current;
  const place = { scope: { tenant: 'organization', id } as const, template, language };
  const found = useQuery({ queryKey: ['console', 'mail text', id, template, language], queryFn: () => tessera.getMailText(place) });
  return (
    <>
      <Head title={t('mailTexts')} text={t('mailTextsText')} />
      <Group className="mail-of" align="end">
        <Select
          label={t('mailTemplate')}
          data={templates.map((value) => ({ value, label: t(names[value]) }))}
          value={template}
          allowDeselect={false}
          onChange={(next) => change({ mail: next ?? '' })}
        />
        <Select
          label={t('language')}
          data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
          value={language}
          allowDeselect={false}
          onChange={(next) => change({ language: next ?? '' })}
        />
        {found.data ? <Badge variant="light">{t(found.data.isDefault ? 'mailStandard' : 'mailOwn')}</Badge> : null}
      </Group>
      {found.isPending ? <Waiting /> : null}
      {found.error ? <Retry error={found.error} again={() => void found.refetch()} /> : null}
      {found.data ? <Editor key={`${template} ${language} ${found.data.updatedAt}`} place={place} text={found.data} /> : null}
    </>
  );
}

type Fields = { readonly subject: string; readonly body: string };

function fieldsOf({ subject, body }: MailText): Fields {
  return { subject, body };
}

function Editor({ place, text }: { readonly place: Place; readonly text: MailText }) {
  const { t } = useTexts();
  const tell = useTell();
  const dialog = useDialog();
  const { may } = useRights();
  const area = useRef<HTMLTextAreaElement>(null);
  const [isTesting, setTesting] = useState(false);
  const isFixed = !may('Branding:Update');
  const draft = useDraft<Fields, MailText>({
    initial: fieldsOf(text),
    edits: { thing: text, read: () => tessera.getMailText(place), show: fieldsOf },
    keepAs: `mail text ${place.scope.id} ${place.template} ${place.language}`,
    check: ({ subject, body }) => ({
      subject: subject.trim() === '' ? t('enterSubject') : undefined,
      body: body.trim() === '' ? t('enterBody') : undefined,
    }),
    send: (values, call) => tessera.updateMailText({ ...place, ...values }, call),
    done: () => tell(t('saved')),
  });
  const { values } = draft;
  const insert = (name: string) => {
    const at = area.current?.selectionStart ?? values.body.length;
    draft.set('body', `${values.body.slice(0, at)}{{${name}}}${values.body.slice(area.current?.selectionEnd ?? at)}`);
    area.current?.focus();
  };
  const test = async () => {
    setTesting(true);
    await tessera.testMailText({ ...place, ...values }).then(
      ({ to }) => tell(t('mailTestSent', { to })),
      (error: unknown) => tell(messageOf(error), 'failed'),
    );
    setTesting(false);
  };
  return (
    <div className="panels">
      <section className="panel">
        <DraftForm draft={draft}>
          <TextInput {...draft.text('subject')} label={t('mailSubject')} maxLength={200} autoComplete="off" disabled={isFixed} />
          <Textarea
            {...draft.text('body')}
            ref={area}
            label={t('mailBody')}
            description={t('mailBodyHelp', { link: '{{link}}' })}
            autosize
            minRows={8}
            maxRows={20}
            disabled={isFixed}
          />
          <div>
            <Text size="sm" fw={500}>
              {t('mailVariables')}
            </Text>
            <ul className="variables">
              {text.variables.map((name) => (
                <li key={name}>
                  <Button variant="default" size="xs" disabled={isFixed} onClick={() => insert(name)}>
                    {`{{${name}}}`}
                  </Button>
                  <Text span size="sm" c="dimmed">
                    {t(`mailVariable_${name as 'link'}`)}
                  </Text>
                </li>
              ))}
            </ul>
          </div>
          {draft.other === undefined ? null : <Conflict {...draft.other} />}
          {isFixed ? null : (
            <Group>
              <Button type="submit" loading={draft.isPending} disabled={draft.other !== undefined}>
                {t('save')}
              </Button>
              <Button variant="default" loading={isTesting} onClick={() => void test()}>
                {t('mailTest')}
              </Button>
              {text.isDefault ? null : (
                <Button variant="subtle" onClick={() => dialog.open('reset')}>
                  {t('mailReset')}
                </Button>
              )}
            </Group>
          )}
        </DraftForm>
      </section>
      <Preview place={place} {...values} />
      {dialog.name === 'reset' ? (
        <Confirm
          title={t('mailReset')}
          text={t('mailResetText')}
          button={t('mailReset')}
          run={() => tessera.deleteMailText(place)}
          said={t('saved')}
          close={dialog.close}
          done={draft.discard}
        />
      ) : null}
    </div>
  );
}

const pauseMs = 400;

/** As the server writes it: the plain text, which every mail has beside its HTML. */
function Preview({ place, subject, body }: { readonly place: Place } & Fields) {
  const { t } = useTexts();
  const [typed, setTyped] = useState({ subject, body });
  useEffect(() => {
    const timer = setTimeout(() => setTyped({ subject, body }), pauseMs);
    return () => clearTimeout(timer);
  }, [subject, body]);
  const preview = useQuery({
    queryKey: ['mail preview', place, typed],
    queryFn: () => tessera.previewMailText({ ...place, ...typed }),
    enabled: typed.subject.trim() !== '' && typed.body.trim() !== '',
    placeholderData: (before) => before,
    retry: false,
  });
  return (
    <Panel title={t('brandPreview')} text={t('mailPreviewText')}>
      {preview.error ? <Problem>{messageOf(preview.error)}</Problem> : null}
      {preview.data === undefined || preview.error ? null : (
        <div className="mail-preview" lang={place.language}>
          <strong>{preview.data.subject}</strong>
          <p>{preview.data.text}</p>
        </div>
      )}
    </Panel>
  );
}
