import type { LabelId } from '#shared/domain/ids.ts'
import type { Component, Snippet } from 'svelte'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ReturnLabelView } from '#shared/bridge/label-views.ts'
import type { QueueEdit } from '#shared/bridge/queue-views.ts'
import type { ScanOutcome, ShipmentView } from '#shared/bridge/scan-views.ts'
import type { VariantView } from '#shared/bridge/stock-views.ts'
import type { DeskStatus, SessionView, StationView } from '#shared/bridge/views.ts'
import type { Command, CommandsOf } from '#shared/domain/commands.ts'
import type { Scan } from './station-commands.svelte.ts'
import type { Sound } from '#scanner/sound.ts'

/**
 * A place is what fills the middle of the window. Its state lives as long as the window: leaving it keeps what was begun.
 * What a place does not have it leaves out.
 */
export interface Place {
  /** Another operator or station is here: reads anew what it shows from the start, forgets what it showed. */
  reset?(): unknown
  /** It is opened; commands wait until this resolves. */
  visit?(): unknown
  /** Numbers of the desk changed. `isShown`: this place is what the operator sees. */
  onStatus?(status: DeskStatus, isShown: boolean): void
  /** Runs what a command means here; returns whether it means anything. */
  run?(command: Command): boolean
  /** The large button, Enter and PRIMARY. Left out: PRIMARY is a command like others. */
  primary?(): unknown
  /** One step back inside the place, as Escape takes it; returns whether there was one. */
  back?(): boolean
  /**
   * Every scan, before anything else looks at it. `hidden`: a command, of which what stood in front hid the buttons; it
   * is not run. `done`: the command is run by what this closed. Null: goes on.
   */
  closeFront?(command: Command | null): 'hidden' | 'done' | null
  /** Takes a scan that means something here and nowhere else; resolves when the next may come. Null: not taken. */
  scan?(scan: Scan): Promise<void> | null
  /** The id of the label or modification that is shown. */
  readonly subjectId?: string | undefined
  /** The id of the label that is shown. */
  readonly labelId?: LabelId | undefined
  /** Of how many things the last scan may be one, where that is asked here. */
  readonly choicesAsked?: number
  /** Which entry of the place is open: a sentence about a scan is said on one entry and not on the next. */
  readonly entryKey?: string | undefined
}

/** What the form of a label is about: nothing yet, a shipment to return, or a label to change or to make anew. */
export type LabelFormSubject =
  | { readonly kind: 'hand' }
  | { readonly kind: 'shipment'; readonly shipment: ShipmentView; readonly focus: 'method' | 'address' }
  | { readonly kind: 'label'; readonly label: ReturnLabelView; readonly focus: 'method' | 'address' }

/** What a place may ask of the window around it. */
export interface PlaceWindow {
  readonly bridge: ScandeskBridge
  readonly play: (sound: Sound) => void
  /** The operator; signed out before anybody logged in. */
  readonly session: () => SessionView
  readonly station: () => StationView | null
  /** Null before main has said it. */
  readonly status: () => DeskStatus | null
  /** Whether the stage is what the operator sees. */
  readonly isStageShown: () => boolean
  run(command: Command): void
  /** Says that a command means nothing here, and where it works. */
  refuse(command: Command): void
  /** Back to the card that stood on the stage. */
  goBack(): void
  openQueue(key?: string): void
  openPrints(jobId?: string): void
  /** `text`: what to look for; null keeps what was looked for last. */
  openSearch(text: string | null): void
  openForm(subject: LabelFormSubject): void
  openCatalogue(): void
  openStorage(): void
  openBooking(): void
  /** Where a write that was taken out of the queue is changed. */
  openEdit(edit: QueueEdit): void
  showArticle(variant: VariantView): void
  showLabel(labelId: LabelId): void
  /** A label was made or changed in its form. */
  showMade(label: ReturnLabelView): void
  /** The stage shows what a scan of another place turned out to be. */
  showOutcome(outcome: ScanOutcome): void
  /** Looks a text up as if it had been scanned. */
  lookUp(text: string): void
  /** Puts a scan that stays in its place on the list of last scans. */
  note(outcome: ScanOutcome): void
  /** A booking that was refused or disapproved becomes the draft again. */
  correct(modificationId: string): void
  /** The same by its large button, which may not be offered. */
  takeBack(modificationId: string): void
  stationChanged(station: StationView): void
}

/** Cards of the stage that other features draw. */
export interface StageCards {
  readonly article: Snippet<[Extract<ScanOutcome, { kind: 'article' }>]>
  readonly location: Snippet<[Extract<ScanOutcome, { kind: 'location' }>]>
  readonly modification: Snippet<[{ raw: string | null; modificationId: string }]>
}

/** What every place's component gets. */
export interface PlaceProps<P extends Place = Place> {
  readonly place: P
  readonly window: PlaceWindow
  readonly cards: StageCards
}

/** How the window opens a place (app/places.ts). Its state is made once. */
export interface PlaceDefinition<P extends Place, C extends CommandsOf<'anywhere'> | null> {
  /** The command that opens it and says no more; null: none, or one that says what to open in it. */
  readonly command: C
  /** Where Escape leads when there is no step back: to the card that stood on the stage, or to an empty stage. */
  readonly escape: 'card' | 'home'
  readonly make: (window: PlaceWindow) => P
  readonly Screen: Component<PlaceProps<P>>
}

/** Names the types of a definition, so that the registry keeps them. */
export function definePlace<P extends Place, const C extends CommandsOf<'anywhere'> | null>(
  definition: PlaceDefinition<P, C>,
): PlaceDefinition<P, C> {
  return definition
}
