import { stationCommand } from '#place/station-commands.svelte.ts'

/** Whether a typed text is to be searched among names, and not looked up as a code: those carry digits. */
export function isWords(text: string): boolean {
  return !/\d/.test(text) && stationCommand(text) === null
}
