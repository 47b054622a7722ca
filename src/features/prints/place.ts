import { definePlace } from '#place/place.ts'
import { PrintsState } from './prints.state.svelte.ts'
import PrintsScreen from './PrintsScreen.svelte'

/** The paper of this desk. PRINTS opens it at what the label in front asks. */
export const printsPlace = definePlace({
  command: null,
  escape: 'home',
  Screen: PrintsScreen,
  make: (window) =>
    new PrintsState({
      bridge: window.bridge,
      play: window.play,
      onLabel: (labelId) => {
        window.showLabel(labelId)
      },
    }),
})
