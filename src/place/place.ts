import type { LabelId } from '#shared/domain/ids.ts'
import type { Component, Snippet } from 'svelte'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SetupSettings } from '#shared/bridge/pc-settings.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { QueueEdit } from '#shared/bridge/queue-views.ts'
import type { ScanOutcome, ShipmentView } from '#shared/bridge/scan-views.ts'
import type { VariantView } from '#shared/bridge/stock-views.ts'
import type { DeskStatus, SessionView, StationView } from '#shared/bridge/views.ts'
import type { Command, CommandsOf } from '#shared/domain/commands.ts'
import type { Scan } from './station-commands.svelte.ts'
import type { Sound } from '#scanner/sound.ts'

/**
 * A place is a screen in the middle of the window. Its state lives as long as the window, so unfinished work is kept
 * when the operator leaves it. A place leaves out the members that it does not need.
 */
export interface Place {
  /** Called when another operator or station is active. Forgets the old data and reads the first data again. */
  reset?(): unknown
  /** Called when the place is opened. Commands wait until the returned promise resolves. */
  visit?(): unknown
  /** Called when the status of the desk changed. `isShown`: whether this place is visible. */
  onStatus?(status: DeskStatus, isShown: boolean): void
  /** Runs a command with its meaning in this place. Returns false if it has none. */
  run?(command: Command): boolean
  /** Does the primary action: the large button, Enter and PRIMARY. Without it, PRIMARY is passed to `run`. */
  primary?(): unknown
  /** Goes one step back inside the place, for Escape. Returns false if there is no step back. */
  back?(): boolean
  /**
   * Closes an enlarged picture in front of the place. Called with every scan before any other handler. `hidden`: the
   * picture covered the command's button, so the command is not run. `done`: closing the picture was all that the
   * command does. Null: there was no picture or the scan is no command; the scan is handled as usual.
   */
  closeFront?(command: Command | null): 'hidden' | 'done' | null
  /**
   * Takes a scan that only this place can handle. Resolves when the next scan may be handled. Null: the scan is not
   * taken.
   */
  scan?(scan: Scan): Promise<void> | null
  /** The id of the label or modification that is shown. */
  readonly subjectId?: string | undefined
  /** The id of the label that is shown. */
  readonly labelId?: LabelId | undefined
  /** The number of choices in the question about the last scan, while this place shows that question. */
  readonly choicesAsked?: number
  /** Key of the open entry. A notice about a scan is removed when another entry is opened. */
  readonly entryKey?: string | undefined
}

/**
 * The subject of the form of a label: a label without a shipment, a shipment to return, or a label to change or to make
 * again.
 */
export type LabelFormSubject =
  | { readonly kind: 'hand' }
  | { readonly kind: 'shipment'; readonly shipment: ShipmentView; readonly focus: 'method' | 'address' }
  | { readonly kind: 'label'; readonly label: ReturnLabelView; readonly focus: 'method' | 'address' }

/** The calls that a place may make to the window around it. */
export interface PlaceWindow {
  readonly bridge: ScandeskBridge
  readonly play: (sound: Sound) => void
  /** Returns the operator's session; it is signed out before the first login. */
  readonly session: () => SessionView
  readonly station: () => StationView | null
  /** Returns the status of the desk; null until main has sent it. */
  readonly status: () => DeskStatus | null
  /** Returns the settings of this PC that the set-up shows; null until main has sent them. */
  readonly settings: () => SetupSettings | null
  /** Whether the stage is the open place. */
  readonly isStageShown: () => boolean
  run(command: Command): void
  /** Shows a notice that a command has no meaning here, and where it works. */
  refuse(command: Command): void
  /** Shows the stage with its last card. */
  goBack(): void
  openQueue(key?: string): void
  openPrints(jobId?: string): void
  /** Opens the search. `text` is the text to search for; null keeps the last one. */
  openSearch(text: string | null): void
  openForm(subject: LabelFormSubject): void
  openCatalogue(): void
  openStorage(): void
  openBooking(): void
  /** Opens the place where a write that was taken out of the queue is changed. */
  openEdit(edit: QueueEdit): void
  showArticle(variant: VariantView): void
  showLabel(labelId: LabelId): void
  /** A label was made or changed in its form. */
  showMade(label: ReturnLabelView): void
  /** Shows the result of another place's scan on the stage. */
  showOutcome(outcome: ScanOutcome): void
  /** Looks a text up as if it had been scanned. */
  lookUp(text: string): void
  /** Adds a scan that stays in its place to the list of last scans. */
  note(outcome: ScanOutcome): void
  /** Makes a refused or disapproved booking the draft again. */
  correct(modificationId: string): void
  /**
   * Makes a refused or disapproved booking the draft again, for its large button. If that is not possible, it only
   * plays a sound.
   */
  takeBack(modificationId: string): void
  stationChanged(station: StationView): void
}

/** Cards of the stage that other features draw. */
export interface StageCards {
  readonly article: Snippet<[Extract<ScanOutcome, { kind: 'article' }>]>
  readonly location: Snippet<[Extract<ScanOutcome, { kind: 'location' }>]>
  readonly modification: Snippet<[{ raw: string | null; modificationId: string }]>
}

/** The properties of every place's component. */
export interface PlaceProps<P extends Place = Place> {
  readonly place: P
  readonly window: PlaceWindow
  readonly cards: StageCards
}

/** How the window opens a place (app/places.ts). Its state is created once. */
export interface PlaceDefinition<P extends Place, C extends CommandsOf<'anywhere'> | null> {
  /** The command that only opens the place; null if there is none, or if the command also names what to open in it. */
  readonly command: C
  /** Where Escape leads if there is no step back: to the last card of the stage, or to an empty stage. */
  readonly escape: 'card' | 'home'
  readonly make: (window: PlaceWindow) => P
  readonly Screen: Component<PlaceProps<P>>
}

/** Returns a definition unchanged; the registry thereby keeps its exact types. */
export function definePlace<P extends Place, const C extends CommandsOf<'anywhere'> | null>(
  definition: PlaceDefinition<P, C>,
): PlaceDefinition<P, C> {
  return definition
}
