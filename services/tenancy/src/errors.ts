import { type AppError, defineErrors } from '@tessera/kernel/errors';

/** Tenancy's own errors, beside the failures that all services share. */
export const errors = defineErrors({
  lastOwner: {
    kind: 'conflict',
    key: 'errors.organization.lastOwner',
    en: 'You are the last owner of an organization that has other members. Hand it over first.',
    de: 'Sie sind der letzte Eigentümer einer Organisation mit weiteren Mitgliedern. Bitte übergeben Sie sie zuerst.',
  },
  mayNotProvision: {
    kind: 'forbidden',
    key: 'errors.organization.mayNotProvision',
    en: 'This organization may not make organizations for others. Ask the operator of this installation to allow it.',
    de: 'Diese Organisation darf keine Organisationen für andere anlegen. Bitten Sie den Betreiber dieser Installation, es zu erlauben.',
  },
  customerExists: {
    kind: 'conflict',
    key: 'errors.organization.customerExists',
    en: 'There is an organization with this externalId, and it does not use this project. Offer the project to it.',
    de: 'Es gibt bereits eine Organisation mit dieser externalId, die dieses Projekt nicht nutzt. Bieten Sie es ihr an.',
  },
  alreadyMember: {
    kind: 'conflict',
    key: 'errors.organizationMember.exists',
    en: 'This person is a member already.',
    de: 'Diese Person ist bereits Mitglied.',
  },
  alreadyInvited: {
    kind: 'conflict',
    key: 'errors.organizationInvitation.exists',
    en: 'This address has an open invitation already. Send its mail again, or renew it.',
    de: 'Für diese Adresse gibt es bereits eine offene Einladung. Senden Sie die E-Mail erneut oder verlängern Sie die Einladung.',
  },
  tooManyInvitations: {
    kind: 'rate-limited',
    key: 'errors.organizationInvitation.tooMany',
    en: 'You have sent {limit} invitation mails today, which is the limit. Go on in {seconds} seconds, or ask the operator of this installation for more.',
    de: 'Sie haben heute {limit} Einladungen verschickt, mehr sind nicht möglich. Machen Sie in {seconds} Sekunden weiter oder bitten Sie den Betreiber dieser Installation um mehr.',
  },
  tooManyInvitationsToAddress: {
    kind: 'rate-limited',
    key: 'errors.organizationInvitation.tooManyToAddress',
    en: 'You have sent {limit} invitation mails to this address today. Ask the person to look among unwanted mail, or send it again in {seconds} seconds.',
    de: 'Sie haben dieser Adresse heute {limit} Einladungen geschickt. Bitten Sie die Person, im Spam-Ordner nachzusehen, oder senden Sie in {seconds} Sekunden erneut.',
  },
  invitationNotPending: {
    kind: 'conflict',
    key: 'errors.organizationInvitation.notPending',
    en: 'This invitation is no longer open: it was accepted or withdrawn, or has expired. Ask for a new one.',
    de: 'Diese Einladung ist nicht mehr offen: Sie wurde angenommen, zurückgezogen oder ist abgelaufen. Bitten Sie um eine neue.',
  },
  invitationTokenUnknown: {
    kind: 'bad-input',
    key: 'errors.organizationInvitation.tokenUnknown',
    en: 'This invitation link is not valid. Open it from the mail once more, or ask for a new invitation.',
    de: 'Dieser Einladungslink ist ungültig. Öffnen Sie ihn noch einmal aus der E-Mail oder bitten Sie um eine neue Einladung.',
  },
  notTheAddressee: {
    kind: 'forbidden',
    key: 'errors.organizationInvitation.notTheAddressee',
    en: 'This invitation was sent to another address. Sign in with that one to accept it.',
    de: 'Diese Einladung ging an eine andere Adresse. Melden Sie sich mit dieser an, um sie anzunehmen.',
  },
  signInFirst: {
    kind: 'forbidden',
    key: 'errors.organizationInvitation.signInFirst',
    en: 'There is an account with this address. Sign in to it, or choose a new password by mail, and accept the invitation then. If you did not make it, you can delete it.',
    de: 'Zu dieser Adresse gibt es ein Konto. Melden Sie sich dort an oder wählen Sie per E-Mail ein neues Passwort, und nehmen Sie die Einladung dann an. Wenn es nicht von Ihnen stammt, können Sie es löschen.',
  },
  roleNotFound: {
    kind: 'not-found',
    key: 'errors.role.notFound',
    en: 'This role does not exist here. Choose one of the roles of this organization.',
    de: 'Diese Rolle gibt es hier nicht. Wählen Sie eine Rolle dieser Organisation.',
  },
  roleAboveOwn: {
    kind: 'forbidden',
    key: 'errors.role.aboveOwn',
    en: 'You can only give roles below your own.',
    de: 'Sie können nur Rollen unterhalb Ihrer eigenen vergeben.',
  },
  tooManyWebhooks: {
    kind: 'conflict',
    key: 'errors.webhook.tooMany',
    en: 'There are {count} webhooks here already, which is the limit. Delete one that is not used any more.',
    de: 'Hier gibt es bereits {count} Webhooks, mehr sind nicht möglich. Löschen Sie einen, der nicht mehr gebraucht wird.',
  },
  webhookUnvouched: {
    kind: 'conflict',
    key: 'errors.webhook.unvouched',
    en: 'Nobody vouches for this webhook any more, so nothing of the log is sent to it. Check its address and vouch for it, then send the delivery again.',
    de: 'Niemand ist mehr für diesen Webhook verantwortlich, deshalb bekommt er nichts aus dem Audit-Log. Prüfen Sie seine Adresse, übernehmen Sie ihn und senden Sie die Zustellung dann erneut.',
  },
  deliveryUnderWay: {
    kind: 'conflict',
    key: 'errors.webhookDelivery.underWay',
    en: 'This delivery is being sent at this moment. Look at its answer first.',
    de: 'Diese Zustellung läuft gerade. Sehen Sie sich zuerst die Antwort an.',
  },
  domainExists: {
    kind: 'conflict',
    key: 'errors.domain.exists',
    en: 'This organization has claimed this domain already. Publish the record of that claim, and verify it.',
    de: 'Diese Organisation hat diese Domain bereits hinzugefügt. Veröffentlichen Sie den zugehörigen Eintrag und prüfen Sie ihn.',
  },
  scimRejected: {
    kind: 'bad-input',
    key: 'errors.scim.rejected',
    en: '{detail}',
    de: '{detail}',
  },
  scimReference: {
    kind: 'conflict',
    key: 'errors.scim.reference',
    en: 'The operation with the bulkId "{bulkId}" has made nothing, and this one refers to it. Mend that one, and send both again.',
    de: 'Die Operation mit der bulkId „{bulkId}“ hat nichts angelegt, und diese bezieht sich darauf. Berichtigen Sie die genannte und senden Sie beide erneut.',
  },
  scimTooManyOperations: {
    kind: 'too-large',
    key: 'errors.scim.tooManyOperations',
    en: 'A bulk request has {limit} operations at most. Send them in several.',
    de: 'Eine Bulk-Anfrage darf höchstens {limit} Operationen enthalten. Verteilen Sie sie auf mehrere.',
  },
  scimNotBegun: {
    kind: 'unavailable',
    key: 'errors.scim.notBegun',
    en: 'The request has taken {limit} seconds already, and this operation was not begun. Send it again.',
    de: 'Die Anfrage dauert schon {limit} Sekunden, und diese Operation wurde nicht begonnen. Senden Sie sie erneut.',
  },
  scimCursor: {
    kind: 'bad-input',
    key: 'errors.scim.cursor',
    en: 'This cursor is of no list, or of another question. Begin without a value for cursor.',
    de: 'Dieser Cursor gehört zu keiner Liste oder zu einer anderen Abfrage. Beginnen Sie ohne Wert für cursor.',
  },
  directoryUserExists: {
    kind: 'conflict',
    key: 'errors.directoryUser.exists',
    en: 'The directory has a person with this {field} here already. Find them by a filter and change them.',
    de: 'Das Verzeichnis hat hier bereits eine Person mit diesem Wert für {field}. Suchen Sie sie mit einem Filter und ändern Sie sie.',
  },
  directoryAddressRefused: {
    kind: 'forbidden',
    key: 'errors.directoryUser.addressRefused',
    en: 'This address can not be provisioned here. Ask the person for another one, or invite them by hand.',
    de: 'Diese Adresse kann hier nicht bereitgestellt werden. Bitten Sie die Person um eine andere oder laden Sie sie von Hand ein.',
  },
  tooManyDomains: {
    kind: 'conflict',
    key: 'errors.domain.tooMany',
    en: 'There are {count} domains here already, which is the limit. Delete one that is not used any more.',
    de: 'Hier gibt es bereits {count} Domains, mehr sind nicht möglich. Löschen Sie eine, die nicht mehr gebraucht wird.',
  },
  grantExists: {
    kind: 'conflict',
    key: 'errors.projectGrant.exists',
    en: 'This organization has this project already, or an open offer of it.',
    de: 'Diese Organisation hat dieses Projekt bereits oder ein offenes Angebot dafür.',
  },
  grantMove: {
    kind: 'conflict',
    key: 'errors.projectGrant.move',
    en: 'The state of this grant does not allow that. Read it again.',
    de: 'Der Status dieser Freigabe lässt das nicht zu. Rufen Sie sie erneut ab.',
  },
  signedUpAlready: {
    kind: 'conflict',
    key: 'errors.projectGrant.signedUpAlready',
    en: 'An organization of yours uses this already. Load this page again, or ask its Owner.',
    de: 'Eine Ihrer Organisationen nutzt das bereits. Laden Sie die Seite neu oder wenden Sie sich an einen Eigentümer der Organisation.',
  },
  tooManySignUps: {
    kind: 'rate-limited',
    key: 'errors.projectGrant.tooManySignUps',
    en: 'You have made too many organizations today. Go on in {seconds} seconds, or ask the operator of this installation for more.',
    de: 'Sie haben heute zu viele Organisationen angelegt. Machen Sie in {seconds} Sekunden weiter oder bitten Sie den Betreiber dieser Installation um mehr.',
  },
  offerExists: {
    kind: 'conflict',
    key: 'errors.projectGrant.offerExists',
    en: 'This address has an open offer of this project already. Withdraw it first to send another.',
    de: 'Diese Adresse hat bereits ein offenes Angebot für dieses Projekt. Ziehen Sie es zuerst zurück, um ein neues zu senden.',
  },
  offerClosed: {
    kind: 'conflict',
    key: 'errors.projectGrant.offerClosed',
    en: 'This offer is not open any more: it was answered or withdrawn, or has expired. Ask for a new one.',
    de: 'Dieses Angebot ist nicht mehr offen: Es wurde beantwortet, zurückgezogen oder ist abgelaufen. Bitten Sie um ein neues.',
  },
  offerTokenUnknown: {
    kind: 'bad-input',
    key: 'errors.projectGrant.offerTokenUnknown',
    en: 'This link is not valid. Open it from the mail once more, or ask for a new offer.',
    de: 'Dieser Link ist ungültig. Öffnen Sie ihn noch einmal aus der E-Mail oder bitten Sie um ein neues Angebot.',
  },
  offerNotTheAddressee: {
    kind: 'forbidden',
    key: 'errors.projectGrant.offerNotTheAddressee',
    en: 'This offer was sent to another address. Sign in with that one to answer it.',
    de: 'Dieses Angebot ging an eine andere Adresse. Melden Sie sich mit dieser an, um es zu beantworten.',
  },
  ownProject: {
    kind: 'validation',
    key: 'errors.projectGrant.ownProject',
    en: 'This organization owns the project. Name another one.',
    de: 'Diese Organisation besitzt das Projekt. Nennen Sie eine andere.',
  },
  tooManyRelated: {
    kind: 'validation',
    key: 'errors.relation.tooMany',
    en: 'These are too many to be listed inside another answer. Ask for them by their own list.',
    de: 'Das sind zu viele für eine eingebettete Liste. Bitte rufen Sie die eigene Liste ab.',
  },
  quotaExceeded: {
    kind: 'quota',
    key: 'errors.quota.exceeded',
    en: 'This account or organization may have {limit} of these and has {used}. Remove some, or ask the operator for more.',
    de: 'Dieses Konto oder diese Organisation darf davon {limit} haben und hat {used}. Entfernen Sie einige oder bitten Sie den Betreiber um mehr.',
  },
});

/** The scimType of an answer of 400 (RFC 7644, section 3.12). */
export type ScimType = 'invalidFilter' | 'invalidPath' | 'invalidSyntax' | 'invalidValue' | 'mutability' | 'noTarget' | 'tooMany';

/**
 * 400 in the words of the protocol. What the caller sent may stand in the detail; it is no secret.
 */
export function scimError(scimType: ScimType, detail: string): AppError {
  return errors.scimRejected({ params: { detail }, extensions: { scimType } });
}
