import { definePlace } from '#place/place.ts'
import { ModificationState } from './modification.state.svelte.ts'
import ModificationScreen from './ModificationScreen.svelte'

/** The booking that is put together. BOOK opens it with what stands on the stage put in. */
export const modificationPlace = definePlace({
  command: null,
  escape: 'home',
  Screen: ModificationScreen,
  make: (window) =>
    new ModificationState({
      bridge: window.bridge,
      session: window.session,
      play: window.play,
      onCommand: (command) => {
        window.run(command)
      },
      onRefused: (command) => {
        window.refuse(command)
      },
      onElsewhere: (outcome) => {
        window.showOutcome(outcome)
      },
      onScanned: (outcome) => {
        window.note(outcome)
      },
    }),
})
