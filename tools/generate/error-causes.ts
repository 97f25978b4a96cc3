/** For docs/errors.md: what leads to an error, and what the caller does about it. */
export const errorCauses: Readonly<Record<string, readonly [cause: string, remedy: string]>> = {
  'errors.answerTooLarge': ['A GraphQL answer exceeds its budget of rows or bytes', 'Ask for fewer fields or shorter pages'],
  'errors.agent.endedByOrganization': [
    'A person allows an app again that an administrator of their organization has ended for them',
    'Ask an administrator to allow it, on the page of the member',
  ],
  'errors.branding.unreadableColors': [
    'The colours of a branding, with what it inherits, have a contrast below 4.5',
    'Make the primary colour darker, or the background lighter, or the other way round; the console shows the contrast while you type',
  ],
  'errors.serviceAccount.enoughDirectoryTokens': [
    'A service account with two directory tokens, or four credentials, gets a further directory token',
    'Remove the token that the directory does not use any more: each shows when it was last used',
  ],
  'errors.changedMeanwhile': [
    'If-Match (in GraphQL `ifMatch`) names another version than the current one',
    'Read the thing again, decide, and send the change with its new ETag',
  ],
  'errors.idempotencyKeyReused': [
    'An Idempotency-Key (in GraphQL `idempotencyKey`) came within 24 hours with another operation or another input',
    'Take a new key, such as a new UUID, for a new request',
  ],
  'errors.clientDocuments.domain': [
    'A domain of clientDomains is no exact host, or is an address or this installation',
    'Give the host of the client’s document, such as client.example.com',
  ],
  'errors.clientDocuments.scope': [
    'A scope of clientScopes is not one of the project’s own: standard scopes and built-in actions cannot be named',
    'Name actions of the project’s resources',
  ],
  'errors.connection.secretLost': [
    'The secret of a connection is sealed under a value of AUTH_FACTOR_SECRETS that is not configured any more',
    'Enter the secret again in the connection, or configure the earlier value',
  ],
  'errors.connection.keysByOwners': [
    'The caller is no Owner, and replaces the metadata of a SAML connection that people sign in by',
    'Ask an Owner to change it',
  ],
  'errors.connection.setUpUnderWay': [
    'A connection is switched on or changed while a set-up link can still change it',
    'Have the set-up finished, or revoke the link',
  ],
  'errors.setUp.ended': ['A set-up link was revoked, has expired, or its maker has lost the right to it', 'Ask for another link'],
  'errors.setUp.connectionTaken': [
    'The connection of a set-up link was changed or deleted by the organization meanwhile',
    'Ask for another link',
  ],
  'errors.setUp.directoryMade': ['A second SCIM token is made by one set-up link', 'Make the token in the console'],
  'errors.setUp.elsewhere': ['A set-up link is opened in a second browser', 'Go on in the first one, or make another link'],
  'errors.setUp.empty': [
    'A set-up is finished before a domain or a connection was entered',
    'Enter a domain or the identity provider first',
  ],
  'errors.setUp.finished': ['A change by a set-up link that is finished', 'Ask for another link'],
  'errors.setUp.tooMany': ['The organization has as many open set-up links as it may have', 'Revoke one that is not needed'],
  'errors.connection.trustedByOwners': [
    'Somebody else than an Owner switches on linkOnProvenDomain, adds to trustedAcr, or changes client or metadata while one is on',
    'Ask an Owner to change it',
  ],
  'errors.connection.noMetadata': ['A SAML connection without metadata is tested', 'Give the metadata of the provider first'],
  'errors.connection.noProvenDomain': [
    'A connection is switched on in an organization without a proven domain',
    'Prove the domain of the addresses of your people first',
  ],
  'errors.connection.tooMany': ['An organization adds one connection more than it may have', 'Delete one that is not needed'],
  'errors.import.again': [
    'While people were imported, an address of the rows was confirmed elsewhere; nobody was imported',
    'Send the same rows again',
  ],
  'errors.mailText.noAddress': [
    'A test of a mail text was requested by a caller without a confirmed email address, such as a service account',
    'Send the test in the session of a person; the preview needs no address',
  ],
  'errors.organizationInvitation.tooMany': [
    'A person has sent as many invitation mails in a day as `QUOTA_INVITATIONS` allows; resends and renewals count',
    'Wait for the seconds of Retry-After; operators raise the setting (docs/configuration.md)',
  ],
  'errors.organizationInvitation.tooManyToAddress': [
    'A person has sent one address as many invitation mails in a day as `QUOTA_INVITATIONS_PER_ADDRESS` allows',
    'Ask the person to look among unwanted mail, or wait for the seconds of Retry-After',
  ],
  'errors.projectGrant.exists': [
    'The organization uses this project, or an offer of it is open',
    'Change the grant that there is, or end it first',
  ],
  'errors.projectGrant.move': [
    'The grant is in a state that does not allow the step; `extensions.status` says which',
    'Read the grant again; an ended one takes a new offer',
  ],
  'errors.projectGrant.offerClosed': [
    'An offer by mail was answered or withdrawn, or its time is over',
    'Ask the owner of the project for a new one',
  ],
  'errors.projectGrant.offerExists': ['The address has an open offer of the project', 'Withdraw it first; then a new mail can be sent'],
  'errors.projectGrant.offerNotTheAddressee': [
    'An offer by mail is answered in the session of an account that does not have its address',
    'Sign in with the address that the mail went to',
  ],
  'errors.projectGrant.offerTokenUnknown': [
    'The token is of no offer, or of another one than the id says',
    'Take both from the same link: read the offer by its token first',
  ],
  'errors.projectGrant.signedUpAlready': [
    'A person makes an organization as they sign in, and one of theirs uses the project already, or is suspended there',
    'Load the page again and choose it; where it is suspended, ask the owner of the project',
  ],
  'errors.projectGrant.tooManySignUps': [
    'A person has made so many organizations at sign-ins in a day; each counts as an invitation mail to the owner of the project',
    'Wait for the seconds of Retry-After; operators raise `QUOTA_INVITATIONS_PER_ADDRESS` or `QUOTA_INVITATIONS`',
  ],
  'errors.projectGrant.ownProject': ['A project is offered to the organization that owns it', 'Name another organization'],
  'errors.rbac.shared': [
    'In the scope of a grant, a role or group of the product is changed',
    'Make one of your own there; the product’s are its owner’s',
  ],
  'errors.rbac.grantFull': [
    'As many members hold a role in the product as its owner allows',
    'Take the roles of another member, or ask the owner for a higher `maxMembers`',
  ],
  'errors.notElevated': [
    'A service account called an operation that needs a fresh sign-in',
    'Name its permission in `elevated` of the service account',
  ],
  'errors.proofRequired': [
    'A token that is bound to a key (DPoP) came as Bearer, or its proof was old, used before or for something else',
    'Send `Authorization: DPoP` and a new proof in `DPoP`',
  ],
  'errors.delegated': [
    'An app that acts for a person by token exchange called an operation that gives rights, or makes something that acts later',
    'Let the person do it in a session of their own',
  ],
  'errors.networkNotAllowed': ['A service account was used outside its `allowedNetworks`', 'Call from an allowed network, or change them'],
  'errors.grantSuspended': ['The owner of the product has suspended the grant', 'Ask the owner; the grant’s `reason` may say why'],
  'errors.grantEnded': ['The grant has ended: the customer left, or the owner ended it', 'Ask the owner for a new offer'],
  'errors.domain.exists': [
    'The organization has claimed the domain before',
    'List the domains; verify that claim, or delete it for a new record',
  ],
  'errors.domain.tooMany': ['An organization has 50 domains', 'Delete one that is not used any more'],
  'errors.webhook.tooMany': ['An organization or project has 20 webhooks', 'Delete one that is not used any more'],
  'errors.webhook.unvouched': [
    'A replay of a delivery of a webhook that has stopped, because nobody vouches for it any more',
    'Check its address, vouch for it (POST /api/webhooks/{id}/vouch), and replay the delivery then',
  ],
  'errors.webhookDelivery.underWay': [
    'A replay of a delivery of which an attempt is under way',
    'Read the deliveries again after a few seconds, then decide',
  ],
  'errors.auth.signInBusy': [
    'Passwords come faster than this installation can compare them; nothing was checked, and nothing counts as a wrong try',
    'Send the same request again after the seconds of Retry-After; operators add replicas of identity (docs/operating.md)',
  ],
  'errors.auth.addressTaken': ['Registration with an address that has an account', 'Sign in, or request a new password'],
  'errors.auth.invalidToken': [
    'A one-time token was used, has expired, was replaced by a newer one, or never existed',
    'Request a new mail; sign in again for a code of a provider',
  ],
  'errors.auth.signInToVerify': [
    'The address was added to an account that signs in by other means',
    'Send the request with the access token of a session of that account',
  ],
  'errors.auth.addressOfAnotherAccount': ['The session belongs to another account than the address', 'Sign in to the other account'],
  'errors.addressNotHeld': [
    'A second factor is enrolled in an account that does not hold its address yet: the link of the mail was opened outside its session',
    'Have a code sent (POST /api/me/address-code), confirm it, and repeat the request',
  ],
  'errors.auth.addressProvenElsewhere': [
    'The address is proven for another account, and a proven address belongs to one person',
    'Sign in to that account; this registration can be deleted',
  ],
  'errors.auth.addressHeld': [
    'A code is requested for an address that the account holds, or the registration of such an account is rejected',
    'Sign in, or request a new password',
  ],
  'errors.auth.noAddressToHold': [
    'The account has no e-mail address that a code could confirm, or it was removed meanwhile',
    'Add an address first',
  ],
  'errors.auth.registrationInUse': [
    'The rejected registration owns organizations with other members; its access has ended all the same',
    'Request a new password to take the account over',
  ],
  'errors.auth.wrongAddressCode': [
    'The code is wrong, expired or used, or was requested in another session',
    'Type the code of the newest mail, or request a new one in this session',
  ],
  'errors.connectionRequired': [
    'The organization enforces its connection, and the session came another way',
    'Sign in at GET /api/auth/connections/{connectionId}, which the extensions name',
  ],
  'errors.connection.enforcedByOwners': ['Somebody else than an Owner sets isEnforced or breakGlassUserIds', 'Ask an Owner'],
  'errors.connection.enforcedStays': [
    'The connection is enforced, and is to be switched off or deleted',
    'Let an Owner set isEnforced to false first',
  ],
  'errors.connection.cannotEnforce': [
    'What enforcing a connection needs is missing; `reason` says what: not-active, no-domain, never-used, no-owner',
    'Look at GET /api/connections/{id}/enforcement, and do what is missing',
  ],
  'errors.newPasswordRequired': [
    'The organization asks this person for a new password (require-new-password)',
    'Change the password, or choose one by mail',
  ],
  'errors.auth.wrongEmailCode': ['The code is not the one that was mailed', 'Type the code of the newest mail, or request a new one'],
  'errors.auth.endedEmailCode': [
    'No code waits in this browser: it was used, is older than ten minutes, had five wrong tries, or was requested elsewhere',
    'Request a new code here',
  ],
  'errors.auth.noEmailCodes': ['EMAIL_CODE_ENABLED is false', 'Sign in another way'],
  'errors.auth.invalidRefreshToken': [
    'The refresh token was used before, has expired or was revoked, or belongs to another session than the access token',
    'Sign in again',
  ],
  'errors.auth.untrustedOrigin': [
    'A browser sent the session cookie from an origin that is not configured',
    'Add the origin to SECURITY_CORS_ORIGIN, or send the token instead of the cookie',
  ],
  'errors.auth.wrongCredentials': [
    'Unknown address or wrong password; the answer is the same for both',
    'Type them again, or request a new password',
  ],
  'errors.apiKey.wrongCredentials': [
    'Wrong clientId or clientSecret, a revoked or expired key, or a scope that is not the key’s own',
    'Check the three values; make a new key if the secret is lost',
  ],
  'errors.apiKey.sessionOnly': ['The operation needs a signed-in person', 'Send the access token of a session'],
  'errors.apiKey.targetAboveOwnRights': ['A key for a user gives all rights of that user here', 'Let an owner or admin make the key'],
  'errors.authenticationMethod.primary': ['The primary way to sign in was to be removed', 'Make another one primary first'],
  'errors.authenticationMethod.taken': ['The address or identity belongs to an account', 'Use another address, or sign in with this one'],
  'errors.authenticationMethod.kindExists': ['An account has one way to sign in of each kind', 'Remove the present one first'],
  'errors.auth.endedRecovery': [
    'A link of a recovery was used, or a sign-in stopped it, or it is over three days old',
    'Sign in, or begin again',
  ],
  'errors.auth.noProvenAddress': ['A recovery by mail needs a confirmed address', 'Ask the operator'],
  'errors.auth.endedSignIn': ['A sign-in waited too long for its second factor, or had five wrong tries', 'Sign in again'],
  'errors.auth.wrongSecondFactor': ['A code or passkey is wrong or was used already', 'Wait for the next code, or use another factor'],
  'errors.auth.noPassword': ['A person without a password confirmed with one', 'Confirm with method `provider`'],
  'errors.secondFactor.none': ['Recovery codes belong to a factor', 'Set up an app or a passkey first'],
  'errors.secondFactor.passkeyRefused': [
    'The browser’s answer is not valid, or without user verification',
    'Ask for new options and try again',
  ],
  'errors.secondFactor.passkeyTaken': ['The passkey is in use by a person', 'Use another passkey'],
  'errors.secondFactor.totpExists': ['A person has one authenticator app', 'Remove the present one first'],
  'errors.secondFactorRequired': [
    'The operation, or the organization, needs a session with two factors',
    'POST /api/auth/confirm with a factor, or set one up',
  ],
  'errors.tenantSuspended': [
    'A platform administrator has suspended the account or organization',
    'Ask the operator of the installation; its audit log names the reason',
  ],
  'errors.quota.exceeded': [
    'The account or organization has as many members or projects as it may have',
    'Remove some (`extensions` says the limit and the use), or ask the operator for more',
  ],
  'errors.quota.requests': [
    'The members, keys and apps of the account or organization have sent as many requests as it may send in a minute',
    'Wait as long as Retry-After says, or ask the operator for more',
  ],
  'errors.apiKey.quotaExceeded': [
    'The account or organization has as many API keys as it may have',
    'Revoke or delete some, or ask the operator for more',
  ],
  'errors.freshSignInRequired': ['The last proof of the session is too old', 'POST /api/auth/confirm, then send the request again'],
  'errors.badInput': ['The request is malformed in a way that no field can be blamed for', 'Compare it with the OpenAPI document'],
  'errors.badGateway': ['A service answered something that is no valid response', 'Try again; operators look into the log of the service'],
  'errors.conflict': ['A name, slug or address must be unique where it is', 'Choose another value for the field in `extensions.field`'],
  'errors.emailVerificationRequired': [
    'The operation needs a confirmed address',
    'Open the link in the mail, then refresh the access token',
  ],
  'errors.forbidden': [
    'The caller lacks the permission in the scope of the request',
    'Ask an owner or admin of the scope for a role that has it',
  ],
  'errors.graphql.tooDeep': ['Selections are nested deeper than the gateway permits', 'Ask for the inner parts in a second operation'],
  'errors.graphql.tooLong': ['The document has more characters than the gateway permits', 'Send values as variables, or send less at once'],
  'errors.graphql.tooManyAliases': ['The document has more aliases than the gateway permits', 'Send several operations'],
  'errors.graphql.tooManyFields': ['The document asks for more fields than the gateway permits', 'Ask for fewer fields'],
  'errors.graphql.tooManyFragments': [
    'Fragments are used more often than the gateway permits',
    'Write the fields out, or send several operations',
  ],
  'errors.graphql.tooManyObjects': [
    'The lengths of nested lists multiply to too many objects',
    'Ask for shorter pages, or for the inner lists one by one',
  ],
  'errors.graphql.tooManyRepeats': ['One field is asked for under more names than the gateway permits', 'Send several operations'],
  'errors.graphql.tooManyRootFields': ['The operation has more root fields than the gateway permits', 'Send several operations'],
  'errors.graphql.tooManyVariables': [
    'The document declares more variables than the gateway permits',
    'Put several values into one input object',
  ],
  'errors.graphql.valuesTooDeep': ['Values or variables are nested deeper than the gateway permits', 'Send flatter values'],
  'errors.internal': ['A fault of Tessera', 'Try again; report the `x-request-id` of the answer'],
  'errors.invalidJson': ['The body does not parse, or holds a key such as `__proto__`', 'Send valid JSON'],
  'errors.notFound': ['It does not exist, was deleted, or is outside the scope of the request', 'Check the id and the scope'],
  'errors.oauth.invalidState': ['The sign-in took too long, ended before, or began in another browser', 'Begin the sign-in again'],
  'errors.oauth.providerNotAllowed': ['`enabledProviders` of the app does not name the provider', 'Choose another, or change the app'],
  'errors.oauth.redirectNotAllowed': [
    '`redirect_uri` is not, character for character, one of the app’s',
    'Register the address with the app',
  ],
  'errors.openid.freshSignIn': [
    'The app demands a sign-in that is newer than the session (`prompt=login` or `max_age`)',
    'Sign in again, then continue the interaction',
  ],
  'errors.organization.customerExists': [
    'An organization with this externalId is there, and has never had the project',
    'Offer the project to it (POST /api/project-grants), or take another externalId',
  ],
  'errors.organization.mayNotProvision': [
    'The operator has not allowed the organization to make others, or has taken that back',
    'Ask a platform administrator for canProvision',
  ],
  'errors.organization.lastOwner': ['The last owner was to leave while there are other members', 'Make another member owner first'],
  'errors.organizationInvitation.exists': ['The address has an open invitation to this organization', 'Resend its mail, or renew it'],
  'errors.organizationInvitation.notPending': ['The invitation was accepted, revoked, or has expired', 'Invite again, or renew it'],
  'errors.organizationInvitation.notTheAddressee': [
    'The session belongs to another person than the invitation',
    'Sign out, or sign in with the invited address',
  ],
  'errors.organizationInvitation.signInFirst': [
    'The address is registered but was never confirmed, so the link alone proves too little',
    'Sign in with that address, then accept',
  ],
  'errors.organizationInvitation.tokenUnknown': ['The token of the link does not exist', 'Open the link from the mail again'],
  'errors.organizationMember.exists': ['The invited person is a member', 'Change the role of the member instead'],
  'errors.password.alphabeticSequence': ['Three letters in the order of the alphabet', 'Choose another password'],
  'errors.password.breached': [
    'The list of BREACHED_PASSWORDS_URL or BREACHED_PASSWORDS_FILE knows the password',
    'Choose another password, here and wherever else it is used',
  ],
  'errors.password.common': ['A blocked word, alone or with digits and special characters around it', 'Choose another password'],
  'errors.password.differ': ['`newPassword` and `confirmPassword` differ', 'Send the same value twice'],
  'errors.password.noDigit': ['No digit', 'Add one'],
  'errors.password.noLowercase': ['No lower-case letter', 'Add one'],
  'errors.password.noSpecial': ['No printable character that is neither letter nor digit', 'Add one'],
  'errors.password.noUppercase': ['No upper-case letter', 'Add one'],
  'errors.password.numericSequence': ['Three digits in order', 'Choose another password'],
  'errors.password.repeated': ['A character three times in a row', 'Choose another password'],
  'errors.password.tooLong': ['More than 128 characters', 'Shorten it'],
  'errors.password.tooShort': ['Fewer than 8 characters', 'Lengthen it'],
  'errors.password.wrongCurrent': ['`currentPassword` is not the present password', 'Type it again, or request a new password'],
  'errors.picture.unreadable': ['The content is no PNG, JPEG, WebP or GIF, whatever its name says', 'Send another file'],
  'errors.projectApp.ofDocument': [
    'What the document of a client says is changed here, or a client known by a document is made or given a secret',
    'Change the document, or end the client',
  ],
  'errors.projectApp.redirectUri': [
    'The redirect address has a scheme, host, fragment or wildcard that is not safe',
    'Register another address',
  ],
  'errors.projectApp.enoughSecrets': [
    'An app has two secrets at most, so that one can replace the other',
    'Delete the secret that is not used any more',
  ],
  'errors.projectApp.noSecrets': [
    'Apps of type spa and native cannot keep a secret, and apps with private_key_jwt sign their requests',
    'Use PKCE alone, or the key of the app',
  ],
  'errors.projectApp.personNeeded': ['A machine app cannot vouch for another app', 'Let a person do it, or an API key that a person made'],
  'errors.serviceAccount.owner': ['`roleIds` names Owner, or the role of an account’s owner', 'Name another role'],
  'errors.serviceAccount.notByMachines': [
    'A service account asked for a credential of a service account, its own or another’s',
    'Let a person do it, or an app or key that acts for one',
  ],
  'errors.serviceAccount.outsideNetworks': [
    'The caller is a service account with `allowedNetworks`, and those of the account are wider',
    'Name `allowedNetworks` within its own, or let a person do it',
  ],
  'errors.serviceAccount.enoughCredentials': ['A fifth credential of a service account', 'Delete one first'],
  'errors.projectApp.sessionOnly': [
    'An app without scopes has all rights of a person, so a person must direct it',
    'Send the access token of a session, or give the app scopes',
  ],
  'errors.rateLimitExceeded': [
    'A limit of requests is reached: of an address, a credential, a tenant, or an app that acts for people; `extensions.limit` says which',
    'Wait as long as `retry-after` says. All people of a server-side application come from its one address: the operator names it in `SECURITY_RATE_LIMIT_TRUSTED`, or counts each app and key by itself with `SECURITY_RATE_LIMIT_CREDENTIAL_MAX` ([configuration](configuration.md))',
  ],
  'errors.rbac.aboveOwnRank': ['The role or member is not below the caller’s own role', 'Let an owner do it'],
  'errors.rbac.builtIn': ['Built-in roles and resources are the same everywhere', 'Make one of your own'],
  'errors.rbac.callCredentials': [
    'The call carries no valid token of an API key',
    'Exchange the key for a token, and send it as call credentials',
  ],
  'errors.rbac.escalation': ['The caller gives an action that the caller does not hold here', 'Leave it out, or let an owner do it'],
  'errors.rbac.evaluate': ['The key names a subject without Decision:Evaluate', 'Send the user’s token, or give the key that action'],
  'errors.rbac.blockedOwner': ['A blocked member was to be made owner', 'Unblock the member first'],
  'errors.rbac.lastOwner': ['The last owner was to be removed or demoted', 'Make another member owner first'],
  'errors.rbac.machineOnly': ['The token was lent by a person', 'Use a token of an API key, machine app or service account'],
  'errors.rbac.notMember': ['The user holds no role in this scope', 'Add the user first'],
  'errors.rbac.onlyRoleOfServiceAccounts': ['Service accounts would be left without any role', 'Give them another role, or delete them'],
  'errors.rbac.ownGroup': ['A role was to get the group that another role has of its own', 'Make a group for both roles'],
  'errors.rbac.onlyRole': ['Members would be left without any role', 'Give them another role first'],
  'errors.rbac.outsideScope': ['The token belongs to another project', 'Ask within its own project'],
  'errors.rbac.noDirectoryHere': [
    'Groups of a directory were asked for in a project of one’s own',
    'Name the organization, or a grant that it has',
  ],
  'errors.rbac.roleOfDirectory': [
    'A role was to be taken by hand that a group of the directory gives',
    'Change the group in the directory, or which roles it gives',
  ],
  'errors.rbac.ownerByDirectory': ['A group of a directory was to give Owner', 'Give Owner by hand'],
  'errors.rbac.roleForDirectories': ['A person, a key or an app was to get the role Provisioning', 'Give it to a service account'],
  'errors.relation.tooMany': ['A relation has more rows than an answer may embed', 'Use the list operation of that entity'],
  'errors.role.aboveOwn': ['The role is not below the caller’s own', 'Choose a lower role, or let an owner do it'],
  'errors.role.notFound': ['The role does not exist in this organization', 'List the roles of the scope'],
  'errors.directoryUser.addressRefused': [
    'A directory sends an address that the organization cannot take in: it is in the proven domain of another one, or several accounts claim it',
    'Use another address, or invite the person by hand',
  ],
  'errors.directoryUser.exists': [
    'SCIM: userName or externalId is taken in the organization',
    'Find the person by a filter, and change them',
  ],
  'errors.scim.cursor': ['SCIM: the cursor is of no list, or of another question', 'Begin the list again, with an empty cursor'],
  'errors.scim.notBegun': ['SCIM: a bulk request took too long for all of its operations', 'Send the operation again'],
  'errors.scim.reference': [
    'SCIM: an operation of a bulk request refers to one that has failed',
    'Look at the answer of that one, and send both again',
  ],
  'errors.scim.tooManyOperations': ['SCIM: a bulk request has more than a hundred operations', 'Send several requests'],
  'errors.scim.rejected': ['SCIM: the request breaks a rule of RFC 7644; `scimType` says which', 'Read `detail`'],
  'errors.routeNotFound': ['No operation has this method and path', 'Look at the OpenAPI document'],
  'errors.serviceUnavailable': ['A service or its database can not be reached', 'Try again after `retry-after`'],
  'errors.timeout': ['A service did not answer in time', 'Look whether the change was made before you repeat it'],
  'errors.tooLarge': ['The body is larger than 1 MiB, or 6 MiB for pictures', 'Send less at once'],
  'errors.unauthenticated': ['No token, or one that is expired, revoked or not valid here', 'Refresh the session or sign in again'],
  'errors.support.above': [
    'The person is an operator of the installation, or an Owner while the supporter is no Owner of the product’s organization',
    'Ask for another person, or let an Owner ask',
  ],
  'errors.support.byOneself': ['Who has asked for the access tries to allow it', 'Let another Owner or Admin decide'],
  'errors.support.notOpen': [
    'The access was refused, allowed already, has ended, or began in another session',
    'Ask anew, or go on in the session that began',
  ],
  'errors.support.ofOneself': ['The request names the supporter’s own account', 'Name another person'],
  'errors.support.requestedAlready': ['A request of this supporter for this person is open', 'Use it, or end it first'],
  'errors.support.tooMany': ['Five requests of this supporter are open in the organization', 'End one of them'],
  'errors.supportForbidden': [
    'A supporter’s token asks for something of the person, of another place, or that needs a fresh sign-in',
    'Let the person do it',
  ],
  'errors.supportNoExport': ['A supporter’s token exports, and the consent has no mayExport', 'Ask for an access that allows exports'],
  'errors.supportReadsOnly': [
    'A supporter’s token changes something, and the consent has no mayWrite',
    'Ask for an access that allows changes',
  ],
  'errors.unsupportedMediaType': ['The body is not declared as JSON', 'Set `content-type: application/json`'],
  'errors.user.homeProfile': ['The person was created in another scope', 'Change the profile there'],
  'errors.user.ownProfile': ['People who can sign in keep their own profile', 'Change roles and tags only'],
  'errors.validation': ['A field is missing, unknown, or has a wrong value', 'Read `extensions.field` and `extensions.reason`'],
};
