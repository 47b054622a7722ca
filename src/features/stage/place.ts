import { definePlace } from '#place/place.ts'
import { StageState } from './stage.state.svelte.ts'
import StageScreen from './StageScreen.svelte'

/** The card of the last scan, and where every scan goes that belongs nowhere else. */
export const stagePlace = definePlace({
  command: null,
  escape: 'home',
  Screen: StageScreen,
  make: (window) =>
    new StageState({
      bridge: window.bridge,
      session: window.session,
      play: window.play,
      isShown: window.isStageShown,
      onCommand: (command) => {
        window.run(command)
      },
      onRefused: (command) => {
        window.refuse(command)
      },
      openForm: (subject) => {
        window.openForm(subject)
      },
      onBooking: (id) => {
        window.takeBack(id)
      },
    }),
})
