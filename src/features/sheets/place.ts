import { definePlace } from '#place/place.ts'
import { SheetsState } from './sheets.state.svelte.ts'
import SheetsScreen from './SheetsScreen.svelte'

/** Barcodes to print: commands, locations, badges. */
export const sheetsPlace = definePlace({
  command: 'SHEETS',
  escape: 'card',
  Screen: SheetsScreen,
  make: (window) =>
    new SheetsState({
      bridge: window.bridge,
      session: window.session,
      station: window.station,
      onStation: (station) => {
        window.stationChanged(station)
      },
    }),
})
