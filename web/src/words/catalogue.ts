import { accessTexts } from './access.ts';
import { auditTexts } from './audit.ts';
import { brandingTexts } from './branding.ts';
import { bulkTexts } from './bulk.ts';
import { colorTexts } from './colors.ts';
import { connectionTexts } from './connections.ts';
import { consoleTexts } from './console.ts';
import { decisionTexts } from './decisions.ts';
import { directoryTexts } from './directory.ts';
import { domainTexts } from './domains.ts';
import { firstRunTexts } from './first-run.ts';
import { grantTexts } from './grants.ts';
import { mailTextTexts } from './mail-texts.ts';
import { membersTexts } from './members.ts';
import { pictureTexts } from './pictures.ts';
import { platformTexts } from './platform.ts';
import { profileTexts } from './profile.ts';
import { programsTexts } from './programs.ts';
import { serviceAccountTexts } from './service-accounts.ts';
import { setUpLinkTexts } from './set-up.ts';
import { supportTexts } from './support.ts';
import { texts } from './texts.ts';
import { webhookTexts } from './webhooks.ts';

/** All that the console says: the texts of its areas, and those that the pages have too. */
export const catalogue = {
  ...texts,
  ...consoleTexts,
  ...colorTexts,
  ...brandingTexts,
  ...mailTextTexts,
  ...membersTexts,
  ...bulkTexts,
  ...profileTexts,
  ...accessTexts,
  ...programsTexts,
  ...decisionTexts,
  ...directoryTexts,
  ...domainTexts,
  ...connectionTexts,
  ...setUpLinkTexts,
  ...auditTexts,
  ...webhookTexts,
  ...firstRunTexts,
  ...grantTexts,
  ...pictureTexts,
  ...platformTexts,
  ...serviceAccountTexts,
  ...supportTexts,
};
export type Key = keyof typeof catalogue;
