/** Domains of an organization: English, German. */
export const domainTexts = {
  domains: ['Domains', 'Domains'],
  domainsText: [
    'Domains that belong to this organization, proven by a record in their DNS. A domain belongs to one organization only.',
    'Domains, die dieser Organisation gehören, nachgewiesen durch einen Eintrag in ihrem DNS. Eine Domain gehört nur einer Organisation.',
  ],
  addDomain: ['Add a domain', 'Domain hinzufügen'],
  noDomains: ['No domains yet', 'Noch keine Domains'],
  noDomainsText: [
    'Add the domain of your addresses, publish the TXT record that you get, and verify it.',
    'Fügen Sie die Domain Ihrer Adressen hinzu, veröffentlichen Sie den TXT-Eintrag, den Sie bekommen, und prüfen Sie ihn.',
  ],
  domain: ['Domain', 'Domain'],
  domainHelp: [
    'Like example.com. A subdomain is another domain, and is added by itself.',
    'Zum Beispiel example.com. Eine Subdomain zählt als eigene Domain und wird gesondert hinzugefügt.',
  ],
  enterADomain: ['Enter a domain', 'Geben Sie eine Domain ein'],
  domain_pending: ['Not verified', 'Ausstehend'],
  domain_verified: ['Verified', 'Nachgewiesen'],
  domain_failing: ['Record missing', 'Eintrag fehlt'],
  domain_lost: ['Lost', 'Verloren'],
  verifiedSince: ['Verified since', 'Nachgewiesen seit'],
  lostOn: ['is lost on {when}', 'geht am {when} verloren'],
  record: ['TXT record', 'TXT-Eintrag'],
  recordAndVerify: ['Record and check', 'Eintrag und Prüfung'],
  recordText: [
    'Publish this record where the DNS of {domain} is kept, then verify it. Leave it there: it is looked for every day.',
    'Veröffentlichen Sie diesen Eintrag dort, wo das DNS von {domain} verwaltet wird, und prüfen Sie ihn dann. Lassen Sie ihn stehen: Er wird täglich geprüft.',
  ],
  recordType: ['Type', 'Typ'],
  recordName: ['Name', 'Name'],
  recordNameHelp: [
    'Some providers add the domain themselves: then enter only {label}.',
    'Manche Anbieter ergänzen die Domain selbst: Geben Sie dann nur {label} ein.',
  ],
  recordValue: ['Value', 'Wert'],
  verify: ['Verify', 'Prüfen'],
  verifyAgain: ['Check again', 'Erneut prüfen'],
  domainVerified: ['{domain} is verified.', '{domain} ist nachgewiesen.'],
  domainFails: [
    'The record of {domain} is missing. Publish it again: the domain is lost on {when}.',
    'Der Eintrag von {domain} fehlt. Veröffentlichen Sie ihn wieder: Die Domain geht am {when} verloren.',
  ],
  domainWasLost: [
    'The record was missing for seven days, so the domain is not proven any more. Publish it and verify the domain again.',
    'Der Eintrag fehlte sieben Tage lang, deshalb ist die Domain nicht mehr nachgewiesen. Veröffentlichen Sie ihn und prüfen Sie die Domain erneut.',
  ],
  problem_record_missing: [
    'There is no TXT record of this name. After it is published, it can take some minutes until it is seen everywhere.',
    'Es gibt keinen TXT-Eintrag mit diesem Namen. Nach dem Veröffentlichen kann es einige Minuten dauern, bis er überall zu sehen ist.',
  ],
  problem_record_differs: [
    'There is a TXT record of this name, with another value. Compare it with the one above.',
    'Es gibt einen TXT-Eintrag mit diesem Namen, aber mit anderem Wert. Vergleichen Sie ihn mit dem Eintrag oben.',
  ],
  problem_dns_failed: [
    'The DNS could not be asked, or gave no answer. Nothing has changed; try again in some minutes.',
    'Das DNS war nicht zu erreichen oder gab keine Antwort. Es hat sich nichts geändert; versuchen Sie es in einigen Minuten erneut.',
  ],
  problem_claimed_elsewhere: [
    'The record is right, but another organization here has this domain. It must delete the domain there first, or lose its own record for seven days.',
    'Der Eintrag stimmt, aber eine andere Organisation hier hat diese Domain. Sie muss die Domain dort zuerst löschen, oder ihr eigener Eintrag muss sieben Tage lang fehlen.',
  ],
  deleteDomainText: [
    'The domain is not proven for this organization any more, and another one can prove it. If you add it again, it gets another record.',
    'Die Domain ist für diese Organisation dann nicht mehr nachgewiesen, und eine andere kann sie nachweisen. Wenn Sie sie erneut hinzufügen, bekommt sie einen anderen Eintrag.',
  ],
} as const satisfies Readonly<Record<string, readonly [en: string, de: string]>>;
