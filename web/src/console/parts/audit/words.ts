import type { Item } from '@tessera/client';
import { hasText, textOf } from '../../../words/spoken.ts';

export type Event = Item<'listAuditEvents'>;

const shortId = 8;

export function known(key: string): string | undefined {
  return hasText(key) ? textOf(key) : undefined;
}

/** `role.created` in words; a name that has none stays as it is. */
export function actionInWords(action: string): string {
  const dot = action.indexOf('.');
  const thing = known(`actionThings.${action.slice(0, dot)}`);
  const verb = known(`actionVerbs.${action.slice(dot + 1)}`);
  // A query is recorded under its operation's name, and only when it was refused.
  if (thing === undefined && action.endsWith('.refused')) {
    const name = action.slice(0, dot);
    return `${textOf('queryInWords')}: ${known(`queryNames.${name}`) ?? name}`;
  }
  return thing === undefined || verb === undefined ? action : `${thing}: ${verb}`;
}

type Support = { readonly supporterId?: string; readonly name?: string };

function supportOf({ detail }: Pick<Event, 'detail'>): Support | undefined {
  return (detail as { readonly support?: Support }).support;
}

/** Who acted, and by what; someone without a name by the beginning of the id. */
export function actorInWords({ actor: { type, id, name }, ...event }: Pick<Event, 'actor' | 'detail'>): string {
  if (type === 'anonymous') return textOf('unknownCaller');
  if (type === 'system') return textOf('system');
  const who = name ?? id?.slice(0, shortId) ?? textOf('auditNobody');
  if (type === 'serviceAccount') return `${known('actionThings.service-account') ?? ''} ${who}`;
  const support = supportOf(event);
  if (support !== undefined) {
    const supporter = support.name ?? `${known('actionThings.support') ?? ''} ${support.supporterId?.slice(0, shortId) ?? ''}`;
    return textOf('auditActingAs', { supporter, actor: who });
  }
  return type === 'user' ? who : `${who} (${textOf(type === 'key' ? 'withKey' : 'withApp')})`;
}

/** What has no name is called by its kind; a person who did it to themselves has one. */
export function targetInWords({ target, actor }: Pick<Event, 'target' | 'actor'>): string {
  if (target.id !== null && target.id === actor.id && actor.name !== null) return actor.name;
  return target.name ?? known(`targetKinds.${target.type}`) ?? target.id?.slice(0, shortId) ?? textOf('auditNobody');
}

/** The key of the sentence of an action: its own, else that of all things with this verb. */
function sentenceOf(action: string, isOfSelf: boolean): string | undefined {
  const dot = action.indexOf('.');
  const keys = [...(isOfSelf ? [`auditOfSelf.${action}`] : []), `auditSentences.${action}`];
  if (hasText(`auditObjects.${action.slice(0, dot)}`)) keys.push(`auditSentences.*${action.slice(dot)}`);
  return keys.find(hasText);
}

type Sentenced = Pick<Event, 'action' | 'actor' | 'target' | 'detail' | 'outcome'>;

/** What happened in one sentence: "Ada removed Ben from Acme". `place`: where, by its name. */
export function sentenceInWords(event: Sentenced, place: string | undefined): string {
  const { action, target, outcome } = event;
  const actor = actorInWords(event);
  const sentence = sentenceOf(action, target.id !== null && target.id === event.actor.id);
  const done = outcome === 'ok';
  // "Not signed in" is not a name that could have tried something.
  const isTold = done || event.actor.type === 'anonymous';
  if (sentence === undefined || !done) return textOf(isTold ? 'auditDid' : 'auditTried', { actor, action: actionInWords(action) });
  const name = target.name ?? target.id?.slice(0, shortId) ?? '';
  const object = `${known(`auditObjects.${action.slice(0, action.indexOf('.'))}`) ?? ''} ${name}`.trim();
  return textOf(sentence, { actor, object, target: targetInWords(event), place: place ?? textOf('auditThisPlace') });
}
