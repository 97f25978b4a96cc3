import { appSignInTexts } from './app-sign-in.ts';
import { connectionTestTexts } from './connection-tests.ts';
import { emailCodeTexts } from './email-code.ts';
import { frameTexts } from './frame.ts';
import { grantOfferTexts } from './grant-offers.ts';
import { homeTexts } from './home.ts';
import { invitationTexts } from './invitations.ts';
import { mailLinkTexts } from './mail-links.ts';
import { secondFactorTexts } from './second-factors.ts';
import { setUpTexts } from './set-up.ts';
import { signInTexts } from './sign-in.ts';

/** The catalogue of the pages. Errors of the server bring texts of their own. */
export const texts = {
  ...frameTexts,
  ...secondFactorTexts,
  ...signInTexts,
  ...emailCodeTexts,
  ...mailLinkTexts,
  ...invitationTexts,
  ...grantOfferTexts,
  ...appSignInTexts,
  ...homeTexts,
  ...setUpTexts,
  ...connectionTestTexts,
};

export type TextKey = keyof typeof texts;
