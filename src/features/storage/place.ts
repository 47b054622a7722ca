import { definePlace } from '#place/place.ts'
import { StorageState } from './storage.state.svelte.ts'
import StorageScreen from './StorageScreen.svelte'

/** The disk of this desk and its backups. */
export const storagePlace = definePlace({
  command: null,
  escape: 'card',
  Screen: StorageScreen,
  make: ({ bridge }) => new StorageState(bridge),
})
