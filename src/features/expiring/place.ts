import { definePlace } from '#place/place.ts'
import { ExpiringState } from './expiring.state.svelte.ts'
import ExpiringScreen from './ExpiringScreen.svelte'

/** The lots that expire soon. */
export const expiringPlace = definePlace({
  command: 'EXPIRING',
  escape: 'card',
  Screen: ExpiringScreen,
  make: (window) =>
    new ExpiringState({
      bridge: window.bridge,
      session: window.session,
      onShow: (variant) => {
        window.showArticle(variant)
      },
      onCode: (code) => {
        window.lookUp(code)
      },
    }),
})
