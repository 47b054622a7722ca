import type { Command } from '#shared/domain/commands.ts'
import type { SteeredWindow } from './steered-window.ts'

/** What the place that is open makes of a command; answers whether it means anything there. */
function runHere(desk: SteeredWindow, command: Command): boolean {
  const { place, labelForm, labels, queue, prints, search, expiring, sheets } = desk
  switch (place.kind) {
    case 'labels':
      return labels.run(command)
    case 'search':
      return search.run(command)
    case 'expiring':
      return expiring.run(command)
    case 'label_form':
      return labelForm.run(command)
    case 'queue':
      return queue.run(command)
    case 'prints':
      return prints.run(command)
    case 'sheets':
      return sheets.run(command)
    default:
      return false
  }
}

/** Where to go, and how the window is: the same everywhere. */
function runAnywhere(desk: SteeredWindow, command: Command): boolean {
  const { app, places, stage } = desk
  if (command === 'HOME') desk.goHome()
  else if (command === 'HELP') {
    places.go({ kind: 'stage' })
    stage.help()
  } else if (command === 'LANGUAGE') void app.switchLanguage()
  else if (command === 'ENGLISH') void app.speak('en')
  else if (command === 'DUTCH') void app.speak('nl')
  else if (command === 'LOGOUT') desk.logout()
  else if (command === 'BOOK') desk.openBooking()
  else if (command === 'LABELS') places.go({ kind: 'labels' })
  else if (command === 'HAND') desk.openForm({ kind: 'hand' })
  else if (command === 'LOCATIONS') desk.openLocations()
  else if (command === 'QUEUE') desk.openQueueAsked()
  else if (command === 'PRINTS') desk.openPrintsAsked()
  else if (command === 'SEARCH') desk.openSearch(null)
  else if (command === 'EXPIRING') places.go({ kind: 'expiring' })
  else if (command === 'SHEETS') places.go({ kind: 'sheets' })
  else return false
  return true
}

/** Runs a command where the operator is. One that means nothing there is named in a sentence, and does nothing. */
export function runCommand(desk: SteeredWindow, command: Command): void {
  if (runHere(desk, command) || runAnywhere(desk, command)) return
  // on the stage the large button is the stage's own, which says by itself what it cannot do
  if (command === 'PRIMARY') desk.runPrimary()
  else desk.refuse(command)
}

/** The large button, Enter and PRIMARY, wherever the operator is. */
export function runPrimary(desk: SteeredWindow): void {
  const { place, stage, modification, labelForm, queue, prints, sheets } = desk
  if (place.kind === 'stage') void stage.runPrimary()
  else if (place.kind === 'modification') void modification.runPrimary()
  else if (place.kind === 'label_form') void labelForm.primary()
  else if (place.kind === 'queue') void queue.primary()
  else if (place.kind === 'prints') void prints.primary()
  else if (place.kind === 'sheets') void sheets.primary()
  else if (!runHere(desk, 'PRIMARY')) desk.refuse('PRIMARY')
}

/**
 * The large picture of a paper is closed by any scan; a command, whose buttons it hid, is not done then. Answers whether
 * that was all the scan did.
 */
export function closesPicture(desk: SteeredWindow, command: Command | null): boolean {
  const { paper } = desk.prints
  if (desk.place.kind !== 'prints' || !paper.isLarge) return false
  paper.isLarge = false
  if (command === null) return false
  if (command === 'HOME') desk.play('done')
  else desk.say({ kind: 'picture', command })
  return true
}
