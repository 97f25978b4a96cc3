import { beforeAll, describe, expect, test } from '@jest/globals';
import { auditActions } from '../../../../../proto/generated/audit-actions.ts';
import { auditObjects, auditOfSelf, auditSentences } from '../../../words/audit-sentences.ts';
import { consoleWords } from '../../../words/generated/console.ts';
import { startWords } from '../../../words/spoken.ts';
import { sentenceInWords } from './words.ts';

beforeAll(() => startWords([{ ...consoleWords, load: {} }]));

const [ada, ben] = ['0190a000-0000-7000-8000-0000000000aa', '0190a000-0000-7000-8000-0000000000bb'];
const nobody = { keyId: null, appId: null, credentialId: null };
const actor = { ...nobody, type: 'user' as const, id: ada, name: 'Ada' };
const target = { type: 'OrganizationMember', id: ben, name: 'Ben' };
const base = { action: 'organizationMember.removed', actor, target, detail: {}, outcome: 'ok' as const };
const say = (changes: Partial<Parameters<typeof sentenceInWords>[0]>) => sentenceInWords({ ...base, ...changes }, 'Acme');

describe('a sentence of the audit log', () => {
  test('names who, what and where', () => {
    expect(say({})).toBe('Ada removed Ben from Acme');
    expect(say({ target: { ...target, id: ada, name: 'Ada' } })).toBe('Ada left Acme');
    expect(say({ action: 'role.created', target: { type: 'Role', id: ben, name: 'Accountant' } })).toBe('Ada created the role Accountant');
  });

  test('calls what has no name any more by the beginning of its id', () => {
    const gone = { actor: { ...actor, name: null }, target: { ...target, name: null } };
    expect(say(gone)).toBe('0190a000 removed 0190a000 from Acme');
    expect(say({ action: 'role.deleted', target: { type: 'Role', id: ben, name: null } })).toBe('Ada deleted the role 0190a000');
  });

  test('says that a key, a service account or a supporter acted', () => {
    expect(say({ actor: { ...actor, type: 'key' } })).toBe('Ada (with an API key) removed Ben from Acme');
    expect(say({ actor: { ...actor, type: 'serviceAccount', name: 'Deploy' } })).toBe('Service account Deploy removed Ben from Acme');
    expect(say({ detail: { support: { supporterId: ben, name: 'Sue' } } })).toBe('Sue (acting as Ada) removed Ben from Acme');
    expect(say({ detail: { support: { supporterId: ben } } })).toBe('Support access 0190a000 (acting as Ada) removed Ben from Acme');
  });

  test('never says of a refused action that it was done', () => {
    expect(say({ outcome: 'refused' })).toBe('Ada tried: Member: removed');
    expect(say({ outcome: 'failed', action: 'role.created' })).toBe('Ada tried: Role: created');
    const anonymous = { ...actor, type: 'anonymous' as const, id: null, name: null };
    expect(say({ outcome: 'refused', actor: anonymous })).toBe('Not signed in: Member: removed');
  });

  test('falls back to the words of the action', () => {
    expect(say({ action: 'agent.allowed' })).toBe('Ada: Acting app: allowed again');
    expect(say({ action: 'nobody.knows' })).toBe('Ada: nobody.knows');
  });

  test('is of an action that there is', () => {
    const verbs = new Set(auditActions.map((action) => action.slice(action.indexOf('.'))));
    const things = new Set(auditActions.map((action) => action.slice(0, action.indexOf('.'))));
    const isThere = (action: string) => auditActions.includes(action) || (action.startsWith('*') && verbs.has(action.slice(1)));
    expect([...Object.keys(auditSentences), ...Object.keys(auditOfSelf)].filter((action) => !isThere(action))).toStrictEqual([]);
    expect(Object.keys(auditObjects).filter((thing) => !things.has(thing))).toStrictEqual([]);
  });
});
