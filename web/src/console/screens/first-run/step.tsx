import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { OperationName, Output } from '@tessera/client';
import { useRef, useState } from 'react';
import { Problem } from '../../../look/page.tsx';
import { tessera } from '../../../session/tessera.ts';
import { Icon } from '../../base/icon.tsx';
import { NavigationLink } from '../../base/link.tsx';
import { useMe } from '../../base/me.tsx';
import { useTexts } from '../../base/words.ts';
import { Secret } from '../../parts/form/secret.tsx';
import { useDraft } from '../../parts/form/use-draft.ts';
import { Code } from './code.tsx';
import { linesOf, openingOf, type Style } from './lines.ts';
import { note } from './progress.ts';
import { callsOf, type StepName, signIn, suggestedNames, type Values } from './steps.ts';

type StepProps = {
  readonly name: StepName;
  /** The name of what is there already. */
  readonly found: string | undefined;
  readonly isOpen: boolean;
  readonly isNext: boolean;
  readonly toggle: (isOpen: boolean) => void;
  readonly values: Values;
  readonly style: Style;
  readonly done: () => Promise<void>;
};

export function Step(props: StepProps) {
  const { name, found, isOpen, isNext, toggle } = props;
  const { t } = useTexts();
  // Here, because the form ends as soon as the key is found: the secret is shown until it is kept.
  const [secret, setSecret] = useState<Values>();
  const isDone = found !== undefined;
  return (
    <li data-state={isDone ? 'done' : isNext ? 'next' : 'later'}>
      <button type="button" className="step-head" aria-expanded={isOpen} onClick={() => toggle(!isOpen)}>
        <span className="step-mark" aria-hidden="true">
          {isDone ? <Icon name="check" size={16} /> : null}
        </span>
        <strong>{t(`step_${name}`)}</strong>
        <small>{isDone ? (name === 'decision' ? t('stepDone') : t('doneAlready', { name: found })) : ''}</small>
        <Icon name={isOpen ? 'up' : 'down'} size={16} />
      </button>
      {isOpen ? <Body {...props} showSecret={setSecret} /> : null}
      {secret === undefined ? null : (
        <Secret
          title={t('keyMade', { name: secret.name ?? '' })}
          values={{ clientId: secret.clientId ?? '', clientSecret: secret.clientSecret ?? '' }}
          file="tessera-api-key.json"
          close={() => {
            setSecret(undefined);
            void props.done();
          }}
        />
      )}
    </li>
  );
}

const placeholder = /\b[A-Z]+_ID\b|\bCLIENT_SECRET\b/;

type BodyProps = StepProps & { readonly showSecret: (secret: Values) => void };

function Body(props: BodyProps) {
  const { name, found, isNext, values, style } = props;
  const { t } = useTexts();
  const { origin } = window.location;
  const title = t(`step_${name}`);
  const lines = callsOf(name, values).map((call) => linesOf(call, style, origin));
  return (
    <div className="step-body">
      <Text>{t(`why_${name}`)}</Text>
      <div className="panels">
        <Stack gap="sm">
          {found === undefined && !isNext ? <Text c="dimmed">{t('notOpenYet')}</Text> : null}
          {isNext && name !== 'decision' ? <Make {...props} /> : null}
          {name === 'decision' && values.resource !== undefined ? <Ask {...props} /> : null}
          {name === 'person' && values.organizationId !== undefined ? (
            <NavigationLink to={`/console/org/${values.organizationId}/members?do=invite`}>{t('inviteInstead')}</NavigationLink>
          ) : null}
        </Stack>
        <Stack gap="xs" className="step-lines">
          <Text fw={600} size="sm">
            {t('orByProgram')}
          </Text>
          {name === 'organization' ? (
            <>
              <Text size="sm" c="dimmed">
                {t(`before_${style}`)}
              </Text>
              <Code label={t(`before_${style}`)} text={openingOf(signIn(values), style, origin)} />
            </>
          ) : null}
          <Code label={`${title}, ${t(`line_${style}`)}`} text={lines.join('\n\n')} />
          {lines.some((line) => placeholder.test(line)) ? (
            <Text size="sm" c="dimmed">
              {t('placeholderHelp')}
            </Text>
          ) : null}
        </Stack>
      </div>
    </div>
  );
}

/** Makes what the step is about, with the same requests that its lines show. */
function Make({ name, values, done, showSecret }: BodyProps) {
  const { t } = useTexts();
  const sent = useRef<Sent>({ made: {}, count: 0 });
  const make = async (typed: string) => {
    const made = await perform(name, { ...values, name: typed }, sent.current);
    if (made.clientSecret === undefined) await done();
    else showSecret({ ...made, name: typed });
  };
  const draft = useDraft({
    initial: { name: suggestedNames[name] ?? '' },
    keepAs: `first run ${name}`,
    check: ({ name: typed }) => ({ name: typed.trim() === '' ? t('enterAName') : undefined }),
    send: ({ name: typed }) => make(typed.trim()),
  });
  return (
    <form {...draft.form}>
      <Stack gap="sm">
        {draft.problem === undefined ? null : <Problem>{draft.problem}</Problem>}
        <TextInput {...draft.text('name')} label={t('nameLabel')} autoComplete="off" />
        <div>
          <Button type="submit" loading={draft.isPending}>
            {t('create')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

type Sent = { made: Values; count: number };

/**
 * Sends the requests of a step in order: each may need what the ones before have made. After a
 * failure it goes on with the request that failed.
 */
async function perform(step: StepName, before: Values, sent: Sent): Promise<Values> {
  const { length } = callsOf(step, before);
  while (sent.count < length) {
    const call = callsOf(step, { ...before, ...sent.made })[sent.count];
    if (call !== undefined && !call.isForPrograms) {
      const send = tessera[call.operation] as (input: object) => Promise<unknown>;
      sent.made = { ...sent.made, ...call.keep(await send(call.input)) };
    }
    sent.count += 1;
  }
  return sent.made;
}

type Decision = Output<'isAuthorized'>;

function Ask({ values, done }: StepProps) {
  const { t } = useTexts();
  const me = useMe();
  const [decision, setDecision] = useState<Decision>();
  const [call] = callsOf('decision', values);
  const draft = useDraft({
    initial: {},
    send: async () => {
      if (call === undefined) return;
      const send = tessera[call.operation satisfies OperationName] as (input: object) => Promise<Decision>;
      setDecision(await send(call.input));
      note(me.user.id, 'decided');
      await done();
    },
  });
  const { action = '', resource = '' } = values;
  const path = decision?.matchedPermission;
  return (
    <form {...draft.form}>
      <Stack gap="sm">
        {draft.problem === undefined ? null : <Problem>{draft.problem}</Problem>}
        <Group gap="sm">
          <Text fw={600}>{t('askMay', { action, resource })}</Text>
          <Button type="submit" loading={draft.isPending}>
            {t('ask')}
          </Button>
        </Group>
        <div role="status">
          {decision === undefined ? null : (
            <div className="answer" data-authorized={decision.authorized}>
              <strong>
                <Icon name={decision.authorized ? 'check' : 'cross'} /> {t(decision.authorized ? 'mayYes' : 'mayNo')}
              </strong>
              {path ? (
                <Text size="sm">{t('mayPath', { role: path.role.name, group: path.group?.name ?? '–', permission: path.name })}</Text>
              ) : null}
            </div>
          )}
        </div>
      </Stack>
    </form>
  );
}
