import { definePlace } from '#place/place.ts'
import { LabelFormState } from './label-form.state.svelte.ts'
import LabelFormScreen from './LabelFormScreen.svelte'
import { LabelsState } from './labels.state.svelte.ts'
import LabelsScreen from './LabelsScreen.svelte'

/** The return labels of this desk and of the service. */
export const labelsPlace = definePlace({
  command: 'LABELS',
  escape: 'home',
  Screen: LabelsScreen,
  make: (window) =>
    new LabelsState({
      bridge: window.bridge,
      onShow: (labelId) => {
        window.showLabel(labelId)
      },
    }),
})

/** The form of a label: by hand, of a shipment, or to change one. It is opened with its subject. */
export const labelFormPlace = definePlace({
  command: null,
  escape: 'card',
  Screen: LabelFormScreen,
  make: (window) =>
    new LabelFormState({
      bridge: window.bridge,
      session: window.session,
      play: window.play,
      onDone: (label) => {
        window.showMade(label)
      },
      onCancel: () => {
        window.goBack()
      },
    }),
})
