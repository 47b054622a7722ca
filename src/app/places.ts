import { cataloguePlace } from '#features/catalogue/place.ts'
import { expiringPlace } from '#features/expiring/place.ts'
import { labelFormPlace, labelsPlace } from '#features/labels/place.ts'
import { locationsPlace } from '#features/locations/place.ts'
import { modificationPlace } from '#features/modification/place.ts'
import { printsPlace } from '#features/prints/place.ts'
import { queuePlace } from '#features/queue/place.ts'
import { searchPlace } from '#features/search/place.ts'
import { sheetsPlace } from '#features/sheets/place.ts'
import { stagePlace } from '#features/stage/place.ts'
import { storagePlace } from '#features/storage/place.ts'
import type { Place, PlaceDefinition, PlaceWindow } from '#place/place.ts'
import type { Command, CommandsOf } from '#shared/domain/commands.ts'

/** Every place of the window. A new one is a line here and, where a command opens it, a row of the command table. */
const definitions = {
  stage: stagePlace,
  modification: modificationPlace,
  labels: labelsPlace,
  label_form: labelFormPlace,
  locations: locationsPlace,
  queue: queuePlace,
  prints: printsPlace,
  search: searchPlace,
  expiring: expiringPlace,
  catalogue: cataloguePlace,
  storage: storagePlace,
  sheets: sheetsPlace,
}

type Definitions = typeof definitions
export type PlaceKind = keyof Definitions
/** The commands that open a place and say no more. */
export type PlaceCommand = NonNullable<Definitions[PlaceKind]['command']>
/** The state of every place, each made once. */
export type Places = { readonly [K in PlaceKind]: ReturnType<Definitions[K]['make']> }

export const placeKinds = Object.keys(definitions) as readonly PlaceKind[]

export function makePlaces(window: PlaceWindow): Places {
  const made = placeKinds.map((kind) => [kind, definitions[kind].make(window)])
  return Object.fromEntries(made) as Places
}

/** A place's definition as the window draws it, whatever state it has: the state of the same kind belongs to it. */
export function definitionOf(kind: PlaceKind): PlaceDefinition<Place, CommandsOf<'anywhere'> | null> {
  return definitions[kind] as unknown as PlaceDefinition<Place, CommandsOf<'anywhere'> | null>
}

/** The place that a command opens, or null. */
export function placeOf(command: Command): PlaceKind | null {
  return placeKinds.find((kind) => definitions[kind].command === command) ?? null
}
