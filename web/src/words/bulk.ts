/** Many at once: several invitations, chosen rows, files of lists. English, German. */
export const bulkTexts = {
  severalHelp: [
    'One address, or several between commas, spaces or lines; at most {most}.',
    'Eine Adresse oder mehrere zwischen Kommas, Leerzeichen oder Zeilen; höchstens {most}.',
  ],
  addressCount: ['Addresses: {count}.', 'Adressen: {count}.'],
  addressesRepeated: ['Named again, and counted once: {count}.', 'Mehrfach genannt, aber nur einmal gezählt: {count}.'],
  addressColumn: ['Of the table, only the column with addresses is read.', 'Von der Tabelle wird nur die Spalte mit Adressen gelesen.'],
  notAddresses: ['No email address: {list}', 'Keine E-Mail-Adresse: {list}'],
  tooManyAddresses: [
    'These are {count} addresses. At most {most} people are invited at once.',
    'Das sind {count} Adressen. Auf einmal werden höchstens {most} Personen eingeladen.',
  ],
  tooMuchText: [
    'This is too much text. At most {most} people are invited at once.',
    'Das ist zu viel Text. Auf einmal werden höchstens {most} Personen eingeladen.',
  ],
  sendInvitations: ['Send {count} invitations', '{count} Einladungen senden'],
  invitedOnes: ['Invited: {count}', 'Eingeladen: {count}'],
  invitedBefore: ['Members, or invited already: {count}', 'Mitglieder oder schon eingeladen: {count}'],
  invitedQuietly: [
    'Invited, but wants no invitation mails. Tell them yourself.',
    'Eingeladen, möchte aber keine Einladungsmails. Sprechen Sie die Person selbst an.',
  ],

  farOf: ['{done} of {all}', '{done} von {all}'],
  stop: ['Stop', 'Anhalten'],
  stoppedAt: ['Stopped: {done} of {all} are done.', 'Angehalten: {done} von {all} sind erledigt.'],
  waitsUntil: ['The server asks to wait. It goes on at {time}.', 'Der Server bittet um eine Pause. Weiter geht es um {time}.'],
  doneOnes: ['Done: {count}', 'Erledigt: {count}'],
  goneOnes: ['Gone already: {count}', 'Nicht mehr vorhanden: {count}'],
  refusedOnes: ['Refused: {count}', 'Abgelehnt: {count}'],
  unsentOnes: ['Not sent: {count}', 'Nicht gesendet: {count}'],
  againFor: ['Try again: {count}', 'Erneut versuchen: {count}'],

  choice: ['Choice', 'Auswahl'],
  chooseNamed: ['Choose {name}', '{name} auswählen'],
  choosePage: ['Choose all on this page', 'Alle auf dieser Seite auswählen'],
  chooseNone: ['Choose none', 'Auswahl aufheben'],
  chosenRows: ['What is chosen', 'Ausgewählte Zeilen'],
  chosenCount: ['{count} chosen', '{count} ausgewählt'],
  nothingInCommon: ['Nothing can be done with all of these at once.', 'Für diese Auswahl gibt es keine gemeinsame Aktion.'],
  removeMany: ['Remove {count} people?', '{count} Personen entfernen?'],
  removeManyWord: ['remove {count}', '{count} entfernen'],
  removeManyText: [
    'They lose all rights in the organization and its projects at once: {who}.',
    'Sie verlieren sofort alle Rechte in der Organisation und ihren Projekten: {who}.',
  ],
  removeManyPeopleText: [
    'They lose what they may do here: {who}. Those who exist in this project only are deleted.',
    'Sie verlieren ihre Rechte hier: {who}. Wer nur in diesem Projekt existiert, wird gelöscht.',
  ],
  revokeMany: ['Revoke {count} invitations?', '{count} Einladungen widerrufen?'],
  revokeManyText: [
    'The links that they received stop working: {who}.',
    'Die Links, die sie erhalten haben, funktionieren dann nicht mehr: {who}.',
  ],
  resendMany: ['Send {count} mails again?', '{count} E-Mails erneut senden?'],
  resendManyText: ['A mail goes to each of them: {who}.', 'Alle bekommen eine E-Mail: {who}.'],
  renewMany: ['Extend {count} invitations?', '{count} Einladungen verlängern?'],
  renewManyText: ['Each gets a new link and a mail: {who}.', 'Alle bekommen einen neuen Link und eine E-Mail: {who}.'],
  changeRoleMany: ['Role of {count} members', 'Rolle von {count} Mitgliedern'],
  changeRoleManyText: ['They all get this role: {who}.', 'Alle bekommen diese Rolle: {who}.'],
  giveRolesMany: ['Roles for {count} people', 'Rollen für {count} Personen'],
  giveRolesManyText: [
    'They get these roles besides those that they have: {who}.',
    'Sie bekommen diese Rollen zusätzlich zu denen, die sie haben: {who}.',
  ],

  downloadCsv: ['Download CSV', 'CSV herunterladen'],
  rowsRead: ['Reading: {done} of {all}', 'Gelesen: {done} von {all}'],
  csvDone: ['Rows in the file: {count}', 'Zeilen in der Datei: {count}'],
  csvCut: [
    'The file has the first {most} of {all} rows. Narrow the list to get the others.',
    'Die Datei enthält die ersten {most} von {all} Zeilen. Grenzen Sie die Liste ein, um die übrigen zu bekommen.',
  ],
  csvStopped: ['Stopped: there is no file.', 'Angehalten: Es gibt keine Datei.'],
} as const satisfies Record<string, readonly [string, string]>;
