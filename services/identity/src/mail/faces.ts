/**
 * The faces that pages and mails show. Kept for seconds, so that a sign-in page costs no statement
 * more; where no tenant has a face, nothing is asked but that, once in as many seconds.
 */
import type { Database } from '@tessera/kernel/postgres';
import { LRUCache } from 'lru-cache';
import { type Face, type FaceFields, mergeFaces, type PlatformFace, platformFace } from './domain/face.ts';
import { isOwnTemplate, type OwnText } from './domain/own-text.ts';
import { findBrandings, findBrandingsOfClient, hasBrandings } from './storage/brandings.ts';
import { findMailText, findMailTextOfClient } from './storage/mail-texts.ts';

export type Faces = {
  readonly platform: Face;
  /** Of an app with its project and organization; the platform's for a client that is unknown. */
  ofClient(clientId: string): Promise<Face>;
  ofOrganization(id: string): Promise<Face>;
  /** What the organization of an app, or an organization, has written for a mail. */
  textOf(mail: MailOf): Promise<OwnText | undefined>;
  /** After a change: this process shows it at once, another one within seconds. */
  forget(): void;
};

export type MailOf = {
  readonly template: string;
  readonly language: string;
  readonly clientId?: string | undefined;
  readonly organizationId?: string | undefined;
};

const keptMs = 5_000;
const mostKept = 10_000;

export function createFaces({ database, platform }: { readonly database: Database; readonly platform: PlatformFace }): Faces {
  const own = platformFace(platform);
  const kept = new LRUCache<string, Face>({ max: mostKept, ttl: keptMs });
  const known = new LRUCache<'any', { readonly has: boolean }>({ max: 1, ttl: keptMs });

  async function hasAny(): Promise<boolean> {
    const answer = known.get('any') ?? { has: await hasBrandings(database) };
    if (!known.has('any')) known.set('any', answer);
    return answer.has;
  }

  async function of(key: string, read: () => Promise<readonly FaceFields[]>): Promise<Face> {
    if (!(await hasAny())) return own;
    const cached = kept.get(key);
    if (cached !== undefined) return cached;
    const face = mergeFaces(await read(), own);
    kept.set(key, face);
    return face;
  }

  return {
    platform: own,
    ofClient: (clientId) => of(`client ${clientId}`, () => findBrandingsOfClient(database, clientId)),
    ofOrganization: (id) => of(`organization ${id}`, () => findBrandings(database, [id])),
    async textOf({ template, language, clientId, organizationId }) {
      if (!isOwnTemplate(template)) return undefined;
      if (clientId !== undefined) return findMailTextOfClient(database, clientId, { template, language });
      return organizationId === undefined ? undefined : findMailText(database, { organizationId, template, language });
    },
    forget() {
      kept.clear();
      known.clear();
    },
  };
}
