import { definePlace } from '#place/place.ts'
import { QueueState } from './queue.state.svelte.ts'
import QueueScreen from './QueueScreen.svelte'

/** What waits to be sent, and what asks about it. QUEUE opens it at what the card in front asks. */
export const queuePlace = definePlace({
  command: null,
  escape: 'home',
  Screen: QueueScreen,
  make: (window) =>
    new QueueState({
      bridge: window.bridge,
      play: window.play,
      onEdit: (edit) => {
        window.openEdit(edit)
      },
      onScanned: (outcome) => {
        window.note(outcome)
      },
    }),
})
