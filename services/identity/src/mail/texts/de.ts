import type { MailTexts } from './mail-texts.ts';

export const de: MailTexts = {
  frame: {
    copyLink: 'Oder kopieren Sie diese Adresse in Ihren Browser:',
    footer: 'Diese E-Mail wurde von {product} gesendet.',
    footerFor: 'Diese E-Mail wurde von {product} für „{brandName}“ gesendet.',
    stop: 'Ich möchte solche E-Mails nicht',
  },
  mails: {
    'verify-email': {
      subject: 'Bitte bestätigen Sie Ihre E-Mail-Adresse',
      lines: ['Willkommen bei {product}. Bitte bestätigen Sie, dass diese Adresse Ihnen gehört.'],
      action: 'Adresse bestätigen',
      ignore: 'Wenn Sie sich nicht registriert haben, können Sie diese Nachricht ignorieren.',
    },
    'address-code': {
      subject: 'Ihr Code für {product}: {code}',
      lines: [
        'Der Code lautet {code}. Geben Sie ihn dort ein, wo Sie ihn angefordert haben; er gilt einmal und 15 Minuten lang. Er zeigt, dass diese Adresse und das Konto „{accountName}“ zusammengehören.',
        'Geben Sie ihn nie weiter: Niemand von {product} fragt danach.',
      ],
      action: '{product} öffnen',
      ignore:
        'Wenn Sie ihn nicht angefordert haben, hat sich jemand mit Ihrer Adresse registriert. Geben Sie den Code nirgends ein. Wenn Sie ein neues Passwort wählen, endet alles, was dort angelegt wurde.',
    },
    'sign-in-code': {
      subject: 'Ihr Code zur Anmeldung: {code}',
      lines: [
        'Der Code lautet {code}. Geben Sie ihn dort ein, wo Sie ihn angefordert haben, oder verwenden Sie im selben Browser die Schaltfläche; er gilt einmal und zehn Minuten lang.',
        'Er meldet Sie bei „{appName}“ an.',
        '{unprovenAddress} ist in diesem Konto noch nicht bestätigt. Der Code bestätigt die Adresse. Wenn Sie ihn eingeben, ohne in dem Konto angemeldet zu sein, endet alles, was darin vorher angelegt wurde: Passwort, andere Anmeldemethoden, zweite Faktoren, Sitzungen und Schlüssel. Ein neues Passwort wählen Sie danach mit „Passwort vergessen?“ auf der Anmeldeseite. Soll alles bleiben, melden Sie sich mit dem Passwort an und bestätigen Sie stattdessen die Adresse.',
        'Er wurde von der Adresse {ipAddress} angefordert. Geben Sie ihn nie weiter: Niemand von {product} fragt danach.',
      ],
      action: 'Anmelden',
      ignore: 'Wenn Sie sich nicht anmelden wollten, ignorieren Sie diese Nachricht: Ohne den Code kommt niemand hinein.',
    },
    'reset-password': {
      subject: 'Neues Passwort wählen',
      lines: ['Für Ihr Konto bei {product} wurde ein neues Passwort angefordert. Der Link gilt einmal und für kurze Zeit.'],
      action: 'Neues Passwort wählen',
      ignore: 'Wenn Sie es nicht waren, ignorieren Sie diese Nachricht: Ihr Passwort bleibt, wie es ist.',
    },
    'verify-added-address': {
      subject: 'Soll diese Adresse zu einem anderen Konto gehören?',
      lines: [
        'Eine Person, die beim Konto „{accountName}“ ({accountAddress}) angemeldet ist, hat ihm diese Adresse hinzugefügt.',
        'Wenn dieses Konto Ihnen gehört, melden Sie sich dort an und bestätigen Sie die Adresse. Danach können Sie sich auch mit ihr anmelden.',
      ],
      action: 'Für dieses Konto bestätigen',
      ignore: 'Wenn Sie das Konto nicht kennen, ignorieren Sie diese Nachricht. Dann geschieht nichts.',
    },
    'reset-password-of-added-address': {
      subject: 'Neues Passwort für das Konto „{accountName}“ wählen',
      lines: [
        'Für das Konto „{accountName}“ ({accountAddress}), dem diese Adresse später hinzugefügt wurde, wurde ein neues Passwort angefordert.',
        'Bei diesem Konto meldet sich vielleicht eine andere Person auf anderem Weg an. Verwenden Sie den Link nur, wenn das Konto Ihnen gehört.',
      ],
      action: 'Neues Passwort wählen',
      ignore: 'Wenn Sie das Konto nicht kennen, ignorieren Sie diese Nachricht: Sein Passwort bleibt, wie es ist.',
    },
    invitation: {
      subject: 'Einladung zu „{organizationName}“',
      lines: ['Sie wurden eingeladen, „{organizationName}“ bei {product} beizutreten.', 'Eingeladen von: {inviterAddress}'],
      action: 'Einladung annehmen',
      ignore: 'Wenn Sie „{organizationName}“ oder die einladende Person nicht kennen, ignorieren Sie diese Nachricht.',
    },
    'grant-offer': {
      subject: '„{organizationName}“ bietet Ihnen „{projectName}“ an',
      lines: [
        '„{organizationName}“ bietet Ihrer Organisation bei {product} das Produkt „{projectName}“ an.',
        'Angeboten von: {inviterAddress}',
        'Ein Eigentümer kann es annehmen, für eine bestehende Organisation oder für eine neue. Die Seite zeigt zuerst, was angeboten wird.',
      ],
      action: 'Angebot ansehen',
      ignore:
        'Wenn Sie „{organizationName}“ nicht kennen oder nicht wissen, wer es anbietet, ignorieren Sie diese Nachricht. Dann geschieht nichts.',
    },
    'grant-offered': {
      subject: '„{organizationName}“ bietet Ihnen „{projectName}“ an',
      lines: [
        '„{organizationName}“ bietet „{customerName}“ das Produkt „{projectName}“ an. Ein Eigentümer von „{customerName}“ kann es in der Konsole annehmen oder ablehnen.',
        'Solange es nicht angenommen ist, ändert sich nichts.',
      ],
      action: 'Konsole öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{customerName}“ sind.',
    },
    'grant-accepted': {
      subject: '„{customerName}“ hat „{projectName}“ angenommen',
      lines: ['„{customerName}“ hat Ihr Angebot angenommen und nutzt „{projectName}“ von jetzt an.'],
      action: 'Konsole öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{organizationName}“ sind.',
    },
    'grant-signed-up': {
      subject: 'Ein neuer Kunde von „{projectName}“',
      lines: [
        'Jemand hat sich in einer Ihrer Anwendungen für „{projectName}“ registriert und die Organisation „{customerName}“ angelegt. Sie nutzt „{projectName}“ von jetzt an.',
        'In der Konsole können Sie die Nutzung sperren oder beenden. Nach zwanzig Registrierungen an einem Tag folgt an diesem Tag keine weitere Nachricht.',
      ],
      action: 'Konsole öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{organizationName}“ sind.',
    },
    'grant-suspended': {
      subject: '„{projectName}“ wurde für „{customerName}“ gesperrt',
      lines: [
        '„{organizationName}“ hat die Nutzung von „{projectName}“ gesperrt. Die Mitglieder von „{customerName}“ können dort nichts tun, bis „{organizationName}“ die Sperre aufhebt.',
        'Die Rollen, die Sie vergeben haben, bleiben. Die Konsole zeigt den Grund, wenn einer genannt wurde; bei Fragen wenden Sie sich an „{organizationName}“.',
      ],
      action: 'Konsole öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{customerName}“ sind.',
    },
    'grant-ended': {
      subject: '„{customerName}“ nutzt „{projectName}“ nicht mehr',
      lines: [
        '„{organizationName}“ hat die Nutzung von „{projectName}“ durch „{customerName}“ beendet. Die Mitglieder von „{customerName}“ können dort nichts mehr tun.',
        'Die Rollen, die Sie vergeben haben, bleiben dreißig Tage erhalten, falls „{organizationName}“ es wieder anbietet.',
      ],
      action: 'Konsole öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{customerName}“ sind.',
    },
    'grant-left': {
      subject: '„{customerName}“ hat die Nutzung von „{projectName}“ beendet',
      lines: [
        'Ein Eigentümer von „{customerName}“ hat die Nutzung von „{projectName}“ beendet. Die Mitglieder können dort nichts mehr tun.',
      ],
      action: 'Konsole öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{organizationName}“ sind.',
    },
    'grant-ended-with-project': {
      subject: '„{projectName}“ wurde gelöscht',
      lines: [
        '„{organizationName}“ hat „{projectName}“ gelöscht, das „{customerName}“ genutzt hat. Niemand kann dort noch etwas tun.',
        'Fragen Sie „{organizationName}“, was an seine Stelle tritt.',
      ],
      action: 'Konsole öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{customerName}“ sind.',
    },
    'grant-ended-with-customer': {
      subject: 'Ihr Kunde „{customerName}“ wurde gelöscht',
      lines: ['Die Organisation „{customerName}“, die „{projectName}“ genutzt hat, wurde gelöscht. Die Freigabe ist beendet.'],
      action: 'Konsole öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{organizationName}“ sind.',
    },
    'grant-ended-with-owner': {
      subject: '„{projectName}“ ist mit „{organizationName}“ beendet',
      lines: [
        'Die Organisation „{organizationName}“ wurde gelöscht und mit ihr „{projectName}“, das „{customerName}“ genutzt hat. Niemand kann dort noch etwas tun.',
      ],
      action: 'Konsole öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{customerName}“ sind.',
    },
    'magic-link': {
      subject: 'Anmelden bei „{appName}“',
      lines: ['Hier ist Ihr Link, um sich bei „{appName}“ anzumelden. Er gilt einmal und für kurze Zeit.'],
      action: 'Anmelden',
      ignore: 'Wenn Sie sich nicht anmelden wollten, ignorieren Sie diese Nachricht.',
    },
    'webhook-disabled': {
      subject: 'Ein Webhook von „{scopeName}“ wurde abgeschaltet',
      lines: [
        'Die Adresse {webhookUrl} hat drei Tage lang nichts angenommen. Deshalb wurde der Webhook von „{scopeName}“ abgeschaltet. Er bekommt nichts mehr, bis Sie ihn wieder einschalten.',
        'Seine Zustellungen zeigen, was die Adresse geantwortet hat. Ist die Ursache behoben, senden Sie einen Test und schalten Sie den Webhook wieder ein.',
      ],
      action: 'Webhook öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{scopeName}“ sind.',
    },
    'webhook-unvouched': {
      subject: 'Ein Webhook von „{scopeName}“ braucht eine verantwortliche Person',
      lines: [
        'Wer den Webhook an {webhookUrl} eingerichtet hat, ist kein Mitglied von „{scopeName}“ mehr. Er läuft bis {until} weiter und hält dann an, wenn ihn niemand übernimmt, der das Audit-Log lesen darf.',
        'Er sendet an diese Adresse, was in „{scopeName}“ geschieht. Prüfen Sie zuerst die Adresse. Wenn Sie sie nicht kennen, löschen Sie den Webhook.',
      ],
      action: 'Webhook öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{scopeName}“ sind.',
    },
    'webhook-stopped': {
      subject: 'Ein Webhook von „{scopeName}“ wurde angehalten',
      lines: [
        'Für den Webhook an {webhookUrl} ist niemand mehr verantwortlich: Wer ihn eingerichtet hat, darf das Audit-Log von „{scopeName}“ nicht mehr lesen, oder der API-Schlüssel oder die Anwendung dafür ist nicht mehr gültig. Er bekommt nichts mehr.',
        'Prüfen Sie seine Adresse. Soll er weiterlaufen, übernehmen Sie ihn; dann wird gesendet, was wartet.',
      ],
      action: 'Webhook öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{scopeName}“ sind.',
    },
    'domain-failing': {
      subject: 'Der Eintrag von {domain} fehlt',
      lines: [
        'Der TXT-Eintrag, der {domain} für „{scopeName}“ nachweist, steht nicht mehr im DNS. Die Domain geht am {until} verloren, wenn der Eintrag bis dahin nicht wieder da ist; dann kann eine andere Organisation sie nachweisen.',
        'Veröffentlichen Sie diesen TXT-Eintrag wieder. Name: {recordName} Wert: {recordValue}',
      ],
      action: 'Domains öffnen',
      ignore:
        'Wenn Sie die Domain aufgegeben haben, löschen Sie sie dort. Sie erhalten diese Nachricht, weil Sie Eigentümer von „{scopeName}“ sind.',
    },
    'domain-lost': {
      subject: 'Die Domain {domain} ist verloren',
      lines: [
        'Der TXT-Eintrag, der {domain} für „{scopeName}“ nachweist, stand sieben Tage lang nicht im DNS. Die Domain ist nicht mehr nachgewiesen, und eine andere Organisation kann sie nachweisen.',
        'Wenn sie Ihnen gehört, veröffentlichen Sie diesen TXT-Eintrag und prüfen Sie die Domain. Name: {recordName} Wert: {recordValue}',
      ],
      action: 'Domains öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{scopeName}“ sind.',
    },
    'connection-believed': {
      subject: 'Der Verbindung „{connectionName}“ wird jetzt mehr vertraut',
      lines: [
        '„{personName}“ hat festgelegt, dass bestehende Konten allein aufgrund ihrer Adresse mit der Verbindung „{connectionName}“ verknüpft werden oder dass mehr ihrer Anmeldungen als zweiter Faktor zählen. Zeitpunkt: {at}.',
        'Wer den Anbieter dieser Verbindung verwaltet, kann als Mitglied Ihrer Organisation Zugang erhalten. Wenn das nicht vereinbart war, nehmen Sie es zurück.',
      ],
      action: 'Verbindung öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer der Organisation sind.',
    },
    'connection-changed': {
      subject: 'Die Verbindung „{connectionName}“ wurde eingeschaltet oder geändert',
      lines: [
        '„{personName}“ hat die Verbindung „{connectionName}“ eingeschaltet oder ihren Client, ihr Geheimnis oder ihre Metadaten ersetzt. Zeitpunkt: {at}.',
        'Wer ihren Anbieter verwaltet, entscheidet, wer Zugang zu Ihrer Organisation hat. Wenn das nicht abgesprochen war, schalten Sie die Verbindung aus und prüfen Sie das Audit-Log.',
      ],
      action: 'Verbindung öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer der Organisation sind.',
    },
    'connection-keys-changed': {
      subject: 'Zertifikate oder Adressen von „{connectionName}“ haben sich geändert',
      lines: [
        'Die Metadaten der Verbindung „{connectionName}“ wurden neu gelesen und nennen andere Zertifikate oder eine andere Adresse als zuvor. Anmeldungen verwenden sie ab jetzt. Zeitpunkt: {at}.',
        'Anbieter erneuern ihre Zertifikate von Zeit zu Zeit. Wenn bei Ihrem Anbieter niemand davon weiß, schalten Sie die Verbindung aus.',
      ],
      action: 'Verbindung öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer der Organisation sind.',
    },
    'connection-linked': {
      subject: 'Ihr Konto wurde mit „{connectionName}“ verknüpft',
      lines: [
        'Eine Organisation hat nachgewiesen, dass die Domain von {email} ihr gehört. Ihre Verbindung „{connectionName}“ wurde mit Ihrem Konto verknüpft und hat Sie gerade angemeldet. Sie wurden nicht gefragt, weil die Organisation über ihre Adressen entscheidet.',
        'Eine solche Anmeldung öffnet nur diese Organisation, bis Sie sie mit einer eigenen Anmeldemethode bestätigen.',
      ],
      action: 'Konto ansehen',
      ignore: 'Wenn Sie das nicht möchten, entfernen Sie diese Anmeldemethode: Sie wird nicht noch einmal ohne Ihre Zustimmung verknüpft.',
    },
    'connection-break-glass': {
      subject: '„{personName}“ hat sich als Notfall-Eigentümer von „{connectionName}“ angemeldet',
      lines: [
        '„{personName}“ gehört zu den Eigentümern, die sich nicht über die Verbindung „{connectionName}“ anmelden müssen, und hat sich gerade mit einem zweiten Faktor ausgewiesen.',
        'Zeitpunkt: {at}. IP-Adresse: {ipAddress}.',
        'Wenn niemand von einem Notfall weiß, entfernen Sie den Namen aus der Verbindung, beenden Sie die Sitzungen dieser Person und prüfen Sie das Audit-Log.',
      ],
      action: 'Verbindung öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer der Organisation sind.',
    },
    'connection-enforced': {
      subject: 'Mitglieder müssen sich jetzt über „{connectionName}“ anmelden',
      lines: [
        '„{personName}“ hat festgelegt, dass sich die Mitglieder Ihrer Organisation über die Verbindung „{connectionName}“ anmelden müssen. Zeitpunkt: {at}.',
        'In anderen Sitzungen meldet die Organisation, dass die Verbindung nötig ist. Eigentümer, die für Notfälle benannt sind, kommen mit ihrem zweiten Faktor herein.',
      ],
      action: 'Verbindung öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer der Organisation sind.',
    },
    'connection-not-enforced': {
      subject: 'Mitglieder müssen sich nicht mehr über „{connectionName}“ anmelden',
      lines: [
        '„{personName}“ hat aufgehoben, dass sich die Mitglieder Ihrer Organisation über die Verbindung „{connectionName}“ anmelden müssen. Zeitpunkt: {at}.',
        'Sie dürfen sich jetzt mit ihren eigenen Anmeldemethoden anmelden. Wenn das nicht vereinbart war, schalten Sie es wieder ein.',
      ],
      action: 'Verbindung öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer der Organisation sind.',
    },
    'set-up-link': {
      subject: 'Anmeldung von „{organizationName}“ einrichten',
      lines: [
        '„{maker}“ bittet Sie, den Identitätsanbieter von „{organizationName}“ mit {product} zu verbinden.',
        'Sie weisen die Domains Ihrer Organisation nach und tragen Ihren Anbieter ein. Sie brauchen kein Konto. Der Link gilt in einem Browser, sieben Tage lang.',
      ],
      action: 'Anmeldung einrichten',
      ignore:
        'Wenn Sie „{organizationName}“ oder die Person nicht kennen, ignorieren Sie diese Nachricht. Geben Sie sie nicht weiter: Wer den Link hat, kann ihn benutzen.',
    },
    'set-up-finished': {
      subject: 'Die Anmeldung Ihrer Organisation wurde über einen Link eingerichtet',
      lines: [
        'Wer den Einrichtungslink hatte, meldet, dass die Einrichtung fertig ist. Zeitpunkt: {at}.',
        'Verbindung: „{connectionName}“. Sie ist ein Entwurf: Prüfen Sie sie und schalten Sie sie dann ein. Vorher kann sich niemand über sie anmelden.',
        'Nachgewiesene Domains: {proven}. Noch nicht nachgewiesen: {unproven}.',
        'Ein Token für {directory} wurde erstellt. Es bewirkt nichts, bis ein Eigentümer dem Dienstkonto „{directory}“ die Rolle Provisioning gibt.',
      ],
      action: 'Ansehen',
      ignore:
        'Sie erhalten diese Nachricht, weil Sie Eigentümer der Organisation sind. Wenn Sie diese Domains oder diesen Anbieter nicht kennen, löschen Sie sie.',
    },
    'directory-joined': {
      subject: 'Sie sind Mitglied von „{organizationName}“',
      lines: [
        'Das Verzeichnis von „{organizationName}“ hat Ihr Konto bei {product} zum Mitglied der Organisation gemacht, weil Ihre Adresse in einer Domain der Organisation liegt.',
        'Ihr Profil, Ihr Passwort und Ihre zweiten Faktoren bleiben unverändert. Sie können die Organisation in Ihrem Konto verlassen.',
      ],
      action: '{product} öffnen',
      ignore: 'Wenn Sie „{organizationName}“ nicht kennen, verlassen Sie die Organisation in Ihrem Konto.',
    },
    'service-account-elevated': {
      subject: 'Ein Dienstkonto von „{scopeName}“ hat erweiterte Rechte',
      lines: [
        '{maker} hat dem Dienstkonto „{accountName}“ von „{scopeName}“ Vorgänge erlaubt, für die sich Personen neu anmelden müssen: {elevated}.',
        'Es behält diese Rechte, auch wenn diese Person die Organisation verlässt. Prüfen Sie, ob das Dienstkonto gebraucht wird. Wenn Sie es nicht kennen, löschen Sie es.',
      ],
      action: '{product} öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{scopeName}“ sind.',
    },
    'directory-token-ends': {
      subject: 'Das Verzeichnis-Token …{lastFour} von „{organizationName}“ läuft am {day} ab',
      lines: [
        'Das Verzeichnis von „{organizationName}“ meldet sich mit dem Token …{lastFour} des Dienstkontos „{accountName}“ an. Es läuft am {day} ab: Danach wird niemand mehr aufgenommen oder entfernt.',
        'Legen Sie jetzt ein zweites Token an, tragen Sie es in Ihrem Verzeichnis ein und entfernen Sie dieses. Bis dahin gelten beide.',
      ],
      action: 'Dienstkonto öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer der Organisation sind.',
    },
    'service-account-stays': {
      subject: 'Das Dienstkonto „{accountName}“ von „{organizationName}“ bleibt',
      lines: [
        '„{maker}“ hat „{organizationName}“ verlassen und hatte dort das Dienstkonto „{accountName}“ oder Zugangsdaten dafür angelegt. Es bleibt, mit diesen Rollen: „{roles}“.',
        'Zugangsdaten, die „{maker}“ dafür angelegt hat: {credentials}.',
        'Seine Geheimnisse gelten weiter, und „{maker}“ kennt vielleicht eines. Prüfen Sie, ob es gebraucht wird: Wechseln Sie seine Geheimnisse oder löschen Sie es.',
        'Weitere Dienstkonten dort, an denen „{maker}“ beteiligt war und die keine Nachricht nennt: {more}. Sehen Sie die Liste durch.',
      ],
      action: 'Dienstkonto öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{organizationName}“ sind.',
    },
    'service-account-maker-demoted': {
      subject: 'Das Dienstkonto „{accountName}“ von „{organizationName}“ bleibt, wie es ist',
      lines: [
        '„{maker}“ hat eine Rolle in „{organizationName}“ verloren und hatte dort das Dienstkonto „{accountName}“ oder Zugangsdaten dafür angelegt. Es bleibt, mit diesen Rollen: „{roles}“.',
        'Zugangsdaten, die „{maker}“ dafür angelegt hat: {credentials}.',
        'Seine Geheimnisse gelten weiter, und „{maker}“ kennt vielleicht eines. Prüfen Sie, ob es gebraucht wird: Wechseln Sie seine Geheimnisse, entziehen Sie ihm Rollen oder löschen Sie es.',
        'Weitere Dienstkonten dort, an denen „{maker}“ beteiligt war und die keine Nachricht nennt: {more}. Sehen Sie die Liste durch.',
      ],
      action: 'Dienstkonto öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{organizationName}“ sind.',
    },
    'service-account-maker-blocked': {
      subject: 'Das Dienstkonto „{accountName}“ von „{organizationName}“ bleibt, wie es ist',
      lines: [
        '„{maker}“ ist in „{organizationName}“ gesperrt und hatte dort das Dienstkonto „{accountName}“ oder Zugangsdaten dafür angelegt. Es bleibt, mit diesen Rollen: „{roles}“.',
        'Zugangsdaten, die „{maker}“ dafür angelegt hat: {credentials}.',
        'Seine Geheimnisse gelten weiter, und „{maker}“ kennt vielleicht eines. Prüfen Sie, ob es gebraucht wird: Wechseln Sie seine Geheimnisse, entziehen Sie ihm Rollen oder löschen Sie es.',
        'Weitere Dienstkonten dort, an denen „{maker}“ beteiligt war und die keine Nachricht nennt: {more}. Sehen Sie die Liste durch.',
      ],
      action: 'Dienstkonto öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie Eigentümer von „{organizationName}“ sind.',
    },
    'support-requested': {
      subject: 'Der Support von „{projectName}“ möchte als „{personName}“ handeln',
      lines: [
        '„{supporterName}“ ({supporterAddress}) vom Support von „{projectName}“ möchte {minutes} Minuten lang als „{personName}“ in „{organizationName}“ handeln.',
        'Die Begründung lautet: „{reason}“',
        'Es geschieht nichts, bis ein Eigentümer oder Admin von „{organizationName}“ es erlaubt, es sei denn, ein Eigentümer hat dem Support von „{projectName}“ erlaubt, ohne Anfrage zu beginnen. Lehnen Sie es ab, wenn niemand von Ihnen um Hilfe gebeten hat.',
      ],
      action: 'Anfrage ansehen',
      ignore: 'Sie erhalten diese Nachricht, weil es um Ihr Konto geht oder weil Sie es erlauben dürfen.',
    },
    'support-allowed': {
      subject: 'Sie dürfen als „{personName}“ von „{organizationName}“ handeln',
      lines: [
        '„{organizationName}“ lässt „{supporterName}“ ({supporterAddress}) als „{personName}“ handeln, {minutes} Minuten ab dem Beginn. Die Erlaubnis verfällt nach vier Stunden, wenn niemand beginnt.',
        'Begründung: „{reason}“',
      ],
      action: 'Zugang ansehen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie es angefragt haben oder weil es um Ihr Konto geht.',
    },
    'support-started': {
      subject: '„{supporterName}“ handelt jetzt als „{personName}“',
      lines: [
        '„{supporterName}“ ({supporterAddress}) vom Support von „{projectName}“ handelt jetzt als „{personName}“ in „{organizationName}“, höchstens {minutes} Minuten lang.',
        'Begründung: „{reason}“',
        'Über die Schaltfläche sehen Sie, was getan wird, und können es mit einem Klick beenden.',
      ],
      action: 'Ansehen oder beenden',
      ignore: 'Sie erhalten diese Nachricht, weil es um Ihr Konto geht oder weil Sie es erlaubt haben.',
    },
    'support-ended': {
      subject: '„{supporterName}“ handelt nicht mehr als „{personName}“',
      lines: [
        '„{supporterName}“ ({supporterAddress}) vom Support von „{projectName}“ handelt nicht mehr als „{personName}“ in „{organizationName}“. Was getan wurde, steht im Audit-Log.',
        'Begründung: „{reason}“',
      ],
      action: 'Ansehen, was getan wurde',
      ignore: 'Sie erhalten diese Nachricht, weil es um Ihr Konto geht oder weil Sie es erlaubt hatten.',
    },
    'method-added': {
      subject: 'Neue Anmeldemethode für Ihr Konto',
      lines: ['Ihrem Konto wurde eine Anmeldemethode hinzugefügt: {provider}.'],
      action: 'Konto ansehen',
      ignore:
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anderes in Ihrem Konto angemeldet: Entfernen Sie die Methode und beenden Sie Ihre Sitzungen.',
    },
    'program-signed-in': {
      subject: 'Ein Programm wurde mit Ihrem Konto angemeldet',
      lines: [
        '{program} wurde am {at} von der Adresse {ipAddress} als Sie angemeldet. Es darf alles, was Sie dürfen, bis Sie seine Sitzung beenden.',
      ],
      action: 'Sitzungen ansehen',
      ignore: 'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, beenden Sie diese Sitzung und wählen Sie ein neues Passwort.',
    },
    'password-changed': {
      subject: 'Das Passwort Ihres Kontos wurde geändert',
      lines: ['Das Passwort Ihres Kontos wurde am {at} von der Adresse {ipAddress} mit {program} geändert.'],
      action: 'Passwort zurücksetzen',
      ignore: 'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, setzen Sie das Passwort zurück: Das beendet alle Sitzungen.',
    },
    'account-blocked': {
      subject: 'Ihr Konto wurde gesperrt',
      lines: [
        'Der Betreiber von {product} hat Ihr Konto gesperrt. Ihre Sitzungen sind beendet, niemand kann sich damit anmelden, und Programme, die für Sie handeln, werden abgewiesen.',
      ],
      action: 'Zu {product}',
      ignore: 'Wenn Sie das für einen Fehler halten, wenden Sie sich an den Betreiber. Es wurde nichts gelöscht.',
    },
    'account-unblocked': {
      subject: 'Ihr Konto wurde entsperrt',
      lines: [
        'Der Betreiber von {product} hat die Sperre Ihres Kontos aufgehoben. Sie können sich wieder anmelden; was vorher angemeldet war, bleibt abgemeldet.',
      ],
      action: 'Anmelden',
      ignore: 'Sonst ist nichts zu tun.',
    },
    'factor-added': {
      subject: 'Ihrem Konto wurde ein zweiter Faktor hinzugefügt',
      lines: ['Ihrem Konto wurde ein zweiter Faktor hinzugefügt: {kind}.'],
      action: 'Konto ansehen',
      ignore:
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anderes in Ihrem Konto angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
    },
    'factor-removed': {
      subject: 'Ein zweiter Faktor Ihres Kontos wurde entfernt',
      lines: ['Aus Ihrem Konto wurde ein zweiter Faktor entfernt: {kind}.'],
      action: 'Konto ansehen',
      ignore:
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anderes in Ihrem Konto angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
    },
    'recovery-codes-renewed': {
      subject: 'Neue Wiederherstellungscodes für Ihr Konto',
      lines: ['Für Ihr Konto wurden neue Wiederherstellungscodes erzeugt. Die alten gelten nicht mehr.'],
      action: 'Konto ansehen',
      ignore:
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anderes in Ihrem Konto angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
    },
    'recovery-code-used': {
      subject: 'Ein Wiederherstellungscode Ihres Kontos wurde verwendet',
      lines: ['Mit einem Wiederherstellungscode wurde eine Anmeldung bei Ihrem Konto bestätigt.'],
      action: 'Konto ansehen',
      ignore:
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anderes in Ihrem Konto angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
    },
    'passkey-copied': {
      subject: 'Ein Passkey Ihres Kontos wurde vielleicht kopiert',
      lines: ['Ein Passkey Ihres Kontos wurde abgelehnt: Sein Zähler ging zurück, wie bei einer Kopie.'],
      action: 'Konto ansehen',
      ignore:
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anderes in Ihrem Konto angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
    },
    'factors-removed': {
      subject: 'Die zweiten Faktoren Ihres Kontos wurden entfernt',
      lines: ['Die Wartezeit ist vorbei, und alle zweiten Faktoren und Wiederherstellungscodes Ihres Kontos wurden entfernt.'],
      action: 'Konto ansehen',
      ignore:
        'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anderes in Ihrem Konto angemeldet: Wählen Sie ein neues Passwort und beenden Sie Ihre Sitzungen.',
    },
    'recovery-started': {
      subject: 'Ihr Konto wird wiederhergestellt',
      lines: [
        'Eine Person, die Ihr Passwort kennt, gibt an, dass alle zweiten Faktoren Ihres Kontos verloren sind.',
        'Sie können am {dueAt} entfernt werden. Bis dahin bekommen Sie täglich eine E-Mail.',
      ],
      action: 'Anmelden und abbrechen',
      ignore:
        'Wenn Sie es nicht waren, melden Sie sich jetzt an: Jede Anmeldung bricht die Wiederherstellung ab. Wählen Sie dann ein neues Passwort.',
    },
    'recovery-waiting': {
      subject: 'Die Wiederherstellung Ihres Kontos läuft noch',
      lines: ['Die zweiten Faktoren Ihres Kontos können am {dueAt} entfernt werden.'],
      action: 'Anmelden und abbrechen',
      ignore:
        'Wenn Sie es nicht waren, melden Sie sich jetzt an: Jede Anmeldung bricht die Wiederherstellung ab. Wählen Sie dann ein neues Passwort.',
    },
    'recovery-ready': {
      subject: 'Sie können Ihr Konto jetzt wiederherstellen',
      lines: [
        'Die Wartezeit ist vorbei. Mit diesem Link entfernen Sie alle zweiten Faktoren Ihres Kontos; danach melden Sie sich nur mit Ihrem Passwort an.',
      ],
      action: 'Zweite Faktoren entfernen',
      ignore:
        'Wenn Sie es nicht waren, melden Sie sich jetzt an: Jede Anmeldung bricht die Wiederherstellung ab. Wählen Sie dann ein neues Passwort.',
    },
    'sign-in-locked': {
      subject: 'Fehlgeschlagene Anmeldungen bei Ihrem Konto',
      lines: [
        'Von der Adresse {ipAddress} kamen {failures} falsche Passwörter für Ihr Konto.',
        'Passwörter von dieser Adresse werden {minutes} Minuten lang abgelehnt. Von anderswo können Sie sich wie bisher anmelden.',
      ],
      action: 'Konto ansehen',
      ignore:
        'Wenn Sie es waren, warten Sie oder wählen Sie ein neues Passwort. Wenn nicht, ist nichts zu tun: Niemand hat Ihr Passwort erraten.',
    },
    'method-removed': {
      subject: 'Eine Anmeldemethode Ihres Kontos wurde entfernt',
      lines: ['Aus Ihrem Konto wurde eine Anmeldemethode entfernt: {provider}.'],
      action: 'Konto ansehen',
      ignore: 'Wenn Sie es waren, ist nichts zu tun. Wenn nicht, ist jemand anderes in Ihrem Konto angemeldet: Beenden Sie Ihre Sitzungen.',
    },
    'mail-text-test': {
      subject: 'Test eines E-Mail-Texts',
      lines: ['Das ist ein Test. Den Text gibt es nicht mehr.'],
      action: 'Konsole öffnen',
      ignore: 'Sie erhalten diese Nachricht, weil Sie sich selbst einen Test gesendet haben. Der Link führt zur Konsole.',
    },
  },
};
