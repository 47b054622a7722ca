import CatalogueScreen from '#features/catalogue/CatalogueScreen.svelte'
import { OverviewState } from '#features/catalogue/overview.state.svelte.ts'
import { ExpiringState } from '#features/expiring/expiring.state.svelte.ts'
import ExpiringScreen from '#features/expiring/ExpiringScreen.svelte'
import { LabelFormState } from '#features/labels/label-form.state.svelte.ts'
import LabelFormScreen from '#features/labels/LabelFormScreen.svelte'
import { LabelsState } from '#features/labels/labels.state.svelte.ts'
import LabelsScreen from '#features/labels/LabelsScreen.svelte'
import { LocationsState } from '#features/locations/locations.state.svelte.ts'
import LocationsScreen from '#features/locations/LocationsScreen.svelte'
import { ModificationState } from '#features/modification/modification.state.svelte.ts'
import ModificationScreen from '#features/modification/ModificationScreen.svelte'
import { PrintsState } from '#features/prints/prints.state.svelte.ts'
import PrintsScreen from '#features/prints/PrintsScreen.svelte'
import { QueueState } from '#features/queue/queue.state.svelte.ts'
import QueueScreen from '#features/queue/QueueScreen.svelte'
import { SearchState } from '#features/search/search.state.svelte.ts'
import SearchScreen from '#features/search/SearchScreen.svelte'
import { SheetsState } from '#features/sheets/sheets.state.svelte.ts'
import SheetsScreen from '#features/sheets/SheetsScreen.svelte'
import { StageState } from '#features/stage/stage.state.svelte.ts'
import StageScreen from '#features/stage/StageScreen.svelte'
import { StorageState } from '#features/storage/storage.state.svelte.ts'
import StorageScreen from '#features/storage/StorageScreen.svelte'
import { definePlace, type Place, type PlaceDefinition, type PlaceWindow } from '#place/place.ts'
import type { Command, CommandsOf } from '#shared/domain/commands.ts'

/**
 * Every place of the window: the command that opens it, the target of Escape, its screen, and its state with the calls
 * that the state may make to the window. To add a place, add an entry here. If a command opens the new place, also add
 * a row to the command table.
 */
const definitions = {
  /** The stage with the card of the last scan. It handles the scans that no other place handles. */
  stage: definePlace({
    command: null,
    escape: 'home',
    Screen: StageScreen,
    make: (window) =>
      new StageState({
        bridge: window.bridge,
        session: window.session,
        play: window.play,
        isShown: window.isStageShown,
        onCommand: (command) => {
          window.run(command)
        },
        onRefused: (command) => {
          window.refuse(command)
        },
        onTooSoon: () => {
          window.refuseTooSoon()
        },
        nowMs: window.nowMs,
        openForm: (subject) => {
          window.openForm(subject)
        },
        onBooking: (id) => {
          window.takeBack(id)
        },
      }),
  }),
  /** The draft of a booking. BOOK opens it with the article or the location of the stage's card. */
  modification: definePlace({
    command: null,
    escape: 'home',
    Screen: ModificationScreen,
    make: (window) =>
      new ModificationState({
        bridge: window.bridge,
        session: window.session,
        stationId: window.stationId,
        play: window.play,
        nowMs: window.nowMs,
        onCommand: (command) => {
          window.run(command)
        },
        onRefused: (command) => {
          window.refuse(command)
        },
        onElsewhere: (outcome) => {
          window.showOutcome(outcome)
        },
        onScanned: (outcome) => {
          window.note(outcome)
        },
      }),
  }),
  /** The return labels of this desk and of the service. */
  labels: definePlace({
    command: 'LABELS',
    escape: 'home',
    Screen: LabelsScreen,
    make: (window) =>
      new LabelsState({
        bridge: window.bridge,
        isShown: () => window.place === 'labels',
        onShow: (labelId) => {
          window.showLabel(labelId)
        },
      }),
  }),
  /**
   * The form of a return label. It makes a label without a shipment, makes a label of a shipment, or changes a label.
   * The act that opens the form passes the shipment or the label.
   */
  label_form: definePlace({
    command: null,
    escape: 'card',
    Screen: LabelFormScreen,
    make: (window) =>
      new LabelFormState({
        bridge: window.bridge,
        session: window.session,
        stationId: window.stationId,
        play: window.play,
        onDone: (label) => {
          window.showMade(label)
        },
        onCancel: () => {
          window.goBack()
        },
      }),
  }),
  /** The location book: the locations that the desk knows. */
  locations: definePlace({
    command: 'LOCATIONS',
    escape: 'home',
    Screen: LocationsScreen,
    make: ({ bridge, stationId, play }) => new LocationsState({ bridge, stationId, play }),
  }),
  /**
   * The writes that wait, and the questions about them. QUEUE on a card opens the question about the card's subject.
   */
  queue: definePlace({
    command: null,
    escape: 'home',
    Screen: QueueScreen,
    make: (window) =>
      new QueueState({
        bridge: window.bridge,
        stationId: window.stationId,
        play: window.play,
        onEdit: (edit) => {
          window.openEdit(edit)
        },
        onScanned: (outcome) => {
          window.note(outcome)
        },
      }),
  }),
  /** Print jobs of this desk. PRINTS on the card of a label opens the question about that label. */
  prints: definePlace({
    command: null,
    escape: 'home',
    Screen: PrintsScreen,
    make: (window) =>
      new PrintsState({
        bridge: window.bridge,
        play: window.play,
        onLabel: (labelId) => {
          window.showLabel(labelId)
        },
      }),
  }),
  /** The search for articles. */
  search: definePlace({
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
  }),
  /** The lots that are expired or expire soon. */
  expiring: definePlace({
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
  }),
  /** The service's records that this desk stores, and how old they are. */
  catalogue: definePlace({
    command: null,
    escape: 'card',
    Screen: CatalogueScreen,
    make: ({ bridge }) => new OverviewState(bridge),
  }),
  /** The disk space that this desk uses, and its backups. */
  storage: definePlace({
    command: null,
    escape: 'card',
    Screen: StorageScreen,
    make: ({ bridge }) => new StorageState(bridge),
  }),
  /** Barcodes to print: commands, locations, badges, and the codes for the calibration. */
  sheets: definePlace({
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
  }),
}

type Definitions = typeof definitions
export type PlaceKind = keyof Definitions
/** The commands that open a place and have no other effect. */
export type PlaceCommand = NonNullable<Definitions[PlaceKind]['command']>
/** The state of every place. Each state is created once. */
export type Places = { readonly [K in PlaceKind]: ReturnType<Definitions[K]['make']> }

export const placeKinds = Object.keys(definitions) as readonly PlaceKind[]

export function makePlaces(window: PlaceWindow): Places {
  const made = placeKinds.map((kind) => [kind, definitions[kind].make(window)])
  return Object.fromEntries(made) as Places
}

/**
 * Returns the definition of a place without the type of its state, so that the window can draw any place. The caller
 * must pass the state of the same place.
 */
export function definitionOf(kind: PlaceKind): PlaceDefinition<Place, CommandsOf<'anywhere'> | null> {
  return definitions[kind] as unknown as PlaceDefinition<Place, CommandsOf<'anywhere'> | null>
}

/** Returns the place that a command opens, or null. */
export function placeOf(command: Command): PlaceKind | null {
  return placeKinds.find((kind) => definitions[kind].command === command) ?? null
}
