/** Invitations: English, German. */
export const invitationTexts = {
  inviteTitle: ['Join {organization}', '{organization} beitreten'],
  inviteText: [
    'You are invited to {organization}. The invitation was sent to {email}.',
    'Sie sind zu {organization} eingeladen. Die Einladung ging an {email}.',
  ],
  inviteButton: ['Accept invitation', 'Einladung annehmen'],
  inviteRegister: [
    'There is no account for {email} yet. Choose a name and a password, and you are in.',
    'Für {email} gibt es noch kein Konto. Wählen Sie einen Namen und ein Passwort, und Sie sind dabei.',
  ],
  inviteReject: ['I did not make that account', 'Dieses Konto stammt nicht von mir'],
  inviteRejectText: [
    'The account with the address {email} is deleted with all that was made in it, unless its maker has shown that they read your mail. Then you can accept the invitation with an account of your own.',
    'Das Konto mit der Adresse {email} wird mit allem, was darin angelegt wurde, gelöscht, außer wenn die Person, die es angelegt hat, den Zugriff auf Ihr Postfach nachgewiesen hat. Danach können Sie die Einladung mit einem eigenen Konto annehmen.',
  ],
  inviteRejectConfirm: ['Delete the account', 'Konto löschen'],
  inviteJoin: ['Create account and join', 'Konto anlegen und beitreten'],
  inviteDoneTitle: ['You are in', 'Sie sind dabei'],
  inviteDoneText: ['You are a member of {organization} now.', 'Sie sind jetzt Mitglied von {organization}.'],
  inviteElsewhere: [
    'You are signed in as {who}, but the invitation is for {email}. Sign out here to accept it with that address.',
    'Sie sind als {who} angemeldet, die Einladung gilt aber für {email}. Melden Sie sich hier ab, um sie mit dieser Adresse anzunehmen.',
  ],
  inviteSignOut: ['Sign out and go on', 'Abmelden und fortfahren'],
  inviteClosedTitle: ['This invitation is no longer open', 'Diese Einladung ist nicht mehr offen'],
  inviteAccepted: [
    'It was accepted already. Sign in to see {organization}.',
    'Sie wurde bereits angenommen. Melden Sie sich an, um {organization} zu sehen.',
  ],
  inviteUsed: ['You have accepted it already.', 'Sie haben sie bereits angenommen.'],
  inviteExpired: [
    'It has expired. Ask {organization} to send it again.',
    'Sie ist abgelaufen. Bitten Sie {organization}, sie erneut zu senden.',
  ],
  inviteRevoked: [
    'It was withdrawn. Ask {organization} if you think that this is a mistake.',
    'Sie wurde zurückgezogen. Fragen Sie bei {organization} nach, wenn Sie das für einen Irrtum halten.',
  ],
  inviteUnknown: [
    'Ask the person who invited you for a new invitation.',
    'Bitten Sie die Person, die Sie eingeladen hat, um eine neue Einladung.',
  ],
  mailsTitle: ['Invitation mails', 'Einladungsmails'],
  mailsText: [
    'Whoever may invite people to an organization here can write to your address. If you do not want that, nobody’s invitation reaches you by mail any more. All other mail comes as before.',
    'Wer hier in eine Organisation einladen darf, kann an Ihre Adresse schreiben. Wenn Sie das nicht möchten, erreicht Sie keine Einladung mehr per E-Mail, gleich von wem. Alle anderen E-Mails kommen wie bisher.',
  ],
  mailsStop: ['Send me no invitations', 'Keine Einladungen mehr senden'],
  mailsStopped: [
    'Done: no invitation is sent to your address any more. If you change your mind, use this link again, or sign in and allow them in your profile.',
    'Erledigt: An Ihre Adresse wird keine Einladung mehr gesendet. Wenn Sie es sich anders überlegen, nutzen Sie diesen Link noch einmal, oder melden Sie sich an und erlauben Sie sie in Ihrem Profil.',
  ],
  mailsAllow: ['Allow invitations again', 'Einladungen wieder erlauben'],
  mailsAllowed: ['Done: invitations are sent to your address again.', 'Erledigt: Einladungen werden wieder an Ihre Adresse gesendet.'],
} as const satisfies Record<string, readonly [string, string]>;
