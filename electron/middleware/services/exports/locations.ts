import { type FilledLocation, filledLocations } from '../../data/exports/rows/locations.ts'
import { defineExport, money } from './define-export.ts'

/** Locations that hold stock of the customer. */
export const locations = defineExport<FilledLocation>(
  {
    location: ({ code }) => code,
    pickable: ({ pickable }) => pickable === 1,
    lots: ({ lots }) => lots,
    variants: ({ variants }) => variants,
  },
  filledLocations,
)

/** What fills them. */
export const fillings = defineExport<FilledLocation>(
  { location: ({ code }) => code, lots: ({ lots }) => lots, pieces: ({ pieces }) => pieces },
  filledLocations,
)

/** What lies there is worth, in euro. */
export const locationValues = defineExport<FilledLocation>(
  {
    location: ({ code }) => code,
    variants: ({ variants }) => variants,
    pieces: ({ pieces }) => pieces,
    value: ({ value }) => money(value),
  },
  filledLocations,
)
