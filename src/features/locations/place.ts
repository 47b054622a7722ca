import { definePlace } from '#place/place.ts'
import { LocationsState } from './locations.state.svelte.ts'
import LocationsScreen from './LocationsScreen.svelte'

/** The book of locations. */
export const locationsPlace = definePlace({
  command: 'LOCATIONS',
  escape: 'home',
  Screen: LocationsScreen,
  make: ({ bridge, play }) => new LocationsState({ bridge, play }),
})
