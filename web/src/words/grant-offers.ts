/** Offers of a project by mail: English, German. */
export const grantOfferTexts = {
  offerTitle: ['{owner} offers {project}', '{owner} bietet {project} an'],
  offerText: [
    '{owner} offers the product {project} to your organization. The offer was sent to {email}; an Owner of the organization accepts it.',
    '{owner} bietet Ihrer Organisation das Produkt {project} an. Das Angebot ging an {email}; ein Eigentümer der Organisation kann es annehmen.',
  ],
  offerRoles: ['Roles that you can give your people: {roles}', 'Rollen, die Sie Ihren Mitgliedern geben können: {roles}'],
  offerAcceptFor: ['Accept for {organization}', 'Für {organization} annehmen'],
  offerNewName: ['Name of a new organization', 'Name einer neuen Organisation'],
  offerNew: ['Create it and accept', 'Anlegen und annehmen'],
  offerDecline: ['Decline the offer', 'Angebot ablehnen'],
  offerElsewhere: [
    'You are signed in as {who}, but the offer is for {email}. Sign out here to answer it with that address.',
    'Sie sind als {who} angemeldet, das Angebot gilt aber für {email}. Melden Sie sich hier ab, um es mit dieser Adresse zu beantworten.',
  ],
  offerDoneTitle: ['{project} is yours to use', '{project} ist bereit'],
  offerDoneText: [
    '{organization} uses {project} from now on. Give your people their roles in the console.',
    '{organization} nutzt {project} von jetzt an. Geben Sie Ihren Mitgliedern in der Konsole ihre Rollen.',
  ],
  offerDeclinedTitle: ['Declined', 'Abgelehnt'],
  offerDeclinedText: [
    'Nothing has changed. {owner} learns that the offer of {project} was declined, and not by which organization.',
    'Es hat sich nichts geändert. {owner} erfährt, dass das Angebot von {project} abgelehnt wurde, aber nicht, von welcher Organisation.',
  ],
  offerClosedTitle: ['This offer is not open any more', 'Dieses Angebot ist nicht mehr offen'],
  offerAnswered: ['It was answered already.', 'Es wurde bereits beantwortet.'],
  offerWithdrawn: [
    'It was withdrawn. Ask {owner} if you think that this is a mistake.',
    'Es wurde zurückgezogen. Fragen Sie bei {owner} nach, wenn Sie das für einen Irrtum halten.',
  ],
  offerExpired: ['It has expired. Ask {owner} for a new one.', 'Es ist abgelaufen. Bitten Sie {owner} um ein neues.'],
  offerUnknown: ['Ask who sent it for a new offer.', 'Bitten Sie um ein neues Angebot.'],
} as const satisfies Record<string, readonly [string, string]>;
