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
 * A place is a screen in the middle of the window. Its state exists as long as the window, so unfinished work is kept
 * when the operator opens another place. A place omits the members that it does not need.
 */
export interface Place {
  /**
   * Called when another operator or station becomes active. Forgets the data of the previous operator or station, or
   * replaces them with newly read data.
   */
  reset?(): unknown
  /**
   * Saves at once the input that would otherwise be saved at the next pause in typing. Called before the window uses
   * another station.
   */
  saveInput?(): Promise<void>
  /**
   * Called when a command or a button opens the place without a subject. Commands wait until the returned promise
   * resolves. Not called by `openQueue`, `openPrints`, `openSearch` and `openForm`, which open their places themselves.
   */
  visit?(): unknown
  /** Called when the status of the desk changed. `isShown`: whether this place is visible. */
  onStatus?(status: DeskStatus, isShown: boolean): void
  /** Runs a command with its meaning in this place. Returns false if this place has no action for the command. */
  run?(command: Command): boolean
  /**
   * Does the primary action, for the large button, Enter and PRIMARY. In a place without this member, PRIMARY is passed
   * to `run`.
   */
  primary?(): unknown
  /** Goes one step back inside the place, for Escape. Returns false if there is no step back. */
  back?(): boolean
  /**
   * Closes an enlarged picture in front of the place. Called with every scan, before any other member. Returns `hidden`
   * if the picture covered the button of the command, so that the command must not run. Returns `done` if closing the
   * picture was all that the command had to do. Returns null if there was no picture or the scan is not a command; the
   * scan is then handled as usual.
   */
  closeFront?(command: Command | null): 'hidden' | 'done' | null
  /**
   * Handles a scan that only this place can handle. The next scan is handled after the promise has resolved. Returns
   * null if the place does not handle this scan.
   */
  scan?(scan: Scan): Promise<void> | null
  /** The id of the label or modification that the place shows. */
  readonly subjectId?: string | undefined
  /** The id of the label that the place shows. */
  readonly labelId?: LabelId | undefined
  /** Number of choices in the question about the last scan, while this place shows that question. */
  readonly choicesAsked?: number
  /** Key of the open entry. A notice about a scan is removed when another entry is opened. */
  readonly entryKey?: string | undefined
}

/**
 * The subject of the form of a label: none (a label without a shipment), a shipment to return, or a label that is
 * changed or replaced by a new label.
 */
export type LabelFormSubject =
  | { readonly kind: 'hand' }
  | { readonly kind: 'shipment'; readonly shipment: ShipmentView; readonly focus: 'method' | 'address' }
  | { readonly kind: 'label'; readonly label: ReturnLabelView; readonly focus: 'method' | 'address' }

/** The calls that a place may make to the window around it. */
export interface PlaceWindow {
  readonly bridge: ScandeskBridge
  readonly play: (sound: Sound) => void
  /** Returns the milliseconds of a monotonic clock, which does not jump when the time of the PC is changed. */
  readonly nowMs: () => number
  /** Returns the operator's session. Before the first login its state is `signed_out`. */
  readonly session: () => SessionView
  readonly station: () => StationView | null
  /**
   * Returns the id of the station that the window shows; undefined before it is read. A write that is sent some time
   * after the operator's act contains the id from the time of the act, so that main refuses it at another station.
   */
  readonly stationId: () => string | undefined
  /** Returns the status of the desk; null until main has sent it. */
  readonly status: () => DeskStatus | null
  /** Returns the settings of this PC that the set-up shows; null until main has sent them. */
  readonly settings: () => SetupSettings | null
  /** The name of the open place (app/places.ts). */
  readonly place: string
  /** Whether the stage is the open place. */
  readonly isStageShown: () => boolean
  run(command: Command): void
  /** Shows a notice that a command has no meaning here, and where it works. */
  refuse(command: Command): void
  /** Shows a notice that PRIMARY or Enter was ignored, because it came too soon after the previous act. */
  refuseTooSoon(): void
  /** Shows the stage with its last card. */
  goBack(): void
  openQueue(key?: string): void
  openPrints(jobId?: string): void
  /** Opens the search. `text` is the text to search for; null keeps the text of the last search. */
  openSearch(text: string | null): void
  openForm(subject: LabelFormSubject): void
  openCatalogue(): void
  openStorage(): void
  openBooking(): void
  /** Opens the place in which a write that was taken out of the queue can be edited. */
  openEdit(edit: QueueEdit): void
  showArticle(variant: VariantView): void
  showLabel(labelId: LabelId): void
  /** Called after the form made or changed a label. */
  showMade(label: ReturnLabelView): void
  /** Shows the card of a scan that another place saved. */
  showOutcome(outcome: ScanOutcome): void
  /** Looks up a text as if it had been scanned. */
  lookUp(text: string): void
  /** Adds a scan to the list of last scans without showing the stage, because the scan was handled in another place. */
  note(outcome: ScanOutcome): void
  /** Turns a refused or disapproved booking back into the draft. */
  correct(modificationId: string): void
  /**
   * Does the action of the large button on the card of a booking: turns a refused or disapproved booking back into the
   * draft. For any other booking, only plays a sound.
   */
  takeBack(modificationId: string): void
  stationChanged(station: StationView): void
}

/** Cards that the stage shows but other features draw. */
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

/** The data with which the window opens a place (app/places.ts). The state of the place is created once. */
export interface PlaceDefinition<P extends Place, C extends CommandsOf<'anywhere'> | null> {
  /**
   * The command that only opens the place. Null if there is none, or if the command does more. For example, QUEUE also
   * opens the question about the subject of the shown card.
   */
  readonly command: C
  /** Target of Escape if the place has no step back: the last card of the stage (`card`), or an empty stage. */
  readonly escape: 'card' | 'home'
  readonly make: (window: PlaceWindow) => P
  readonly Screen: Component<PlaceProps<P>>
}

/** Returns a definition unchanged. The call lets the compiler derive the exact types of the definition. */
export function definePlace<P extends Place, const C extends CommandsOf<'anywhere'> | null>(
  definition: PlaceDefinition<P, C>,
): PlaceDefinition<P, C> {
  return definition
}
