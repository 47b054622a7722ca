import { definePlace } from '#place/place.ts'
import { SearchState } from './search.state.svelte.ts'
import SearchScreen from './SearchScreen.svelte'

/** Articles by what is typed. */
export const searchPlace = definePlace({
  command: 'SEARCH',
  escape: 'card',
  Screen: SearchScreen,
  make: (window) =>
    new SearchState({
      bridge: window.bridge,
      onShow: (variant) => {
        window.showArticle(variant)
      },
      onCode: (text) => {
        window.lookUp(text)
      },
    }),
})
