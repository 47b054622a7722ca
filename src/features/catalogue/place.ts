import { definePlace } from '#place/place.ts'
import CatalogueScreen from './CatalogueScreen.svelte'
import { OverviewState } from './overview.state.svelte.ts'

/** What is kept of the service on this desk, and how old it is. */
export const cataloguePlace = definePlace({
  command: null,
  escape: 'card',
  Screen: CatalogueScreen,
  make: ({ bridge }) => new OverviewState(bridge),
})
