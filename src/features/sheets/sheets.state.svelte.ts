import { m } from '#messages/messages.js'
import type { Place } from '#place/place.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SheetPrinted, SheetSaved, SheetWish } from '#shared/bridge/paper-views.ts'
import type { PrinterView } from '#shared/bridge/print-views.ts'
import type { PrintRoute } from '#shared/bridge/printer-views.ts'
import type { LocationView } from '#shared/bridge/stock-views.ts'
import type { CommandSecret, SessionView, StationView } from '#shared/bridge/views.ts'
import type { Command } from '#shared/domain/commands.ts'
import type { SheetFormat, SheetKind } from '#shared/domain/sheet-layout.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { formatChoices } from '#ui/format.ts'
import { paperWords, printerName } from '#place/print-words.ts'
import { readLocations } from '#place/location-book.ts'
import {
  badgeContent,
  calibrationContent,
  type BadgeDraft,
  choiceContent,
  type Choices,
  commandContent,
  isBadge,
  locationContent,
  type LocationContent,
  numberContent,
} from './sheet-content.ts'

export type LocationSource = 'book' | 'typed'
/** The commands that a sheet shows: the commands of the tasks, the digits, or the choices of this station. */
export type CommandPart = 'tasks' | 'digits' | 'choices'
/** The kinds of sheets that the operator chooses from. The sheet of digits is a part of the kind `commands`. */
type ChosenKind = Exclude<SheetKind, 'digits'>
const kinds: readonly ChosenKind[] = ['commands', 'locations', 'badges', 'calibration']

/** The result of the last print or save, shown until the operator chooses something else. */
type SheetEnd =
  | { readonly kind: 'paper'; readonly printed: SheetPrinted }
  | { readonly kind: 'file'; readonly saved: SheetSaved }

/**
 * Returns the result of printing a sheet, for the operator. If the page is too large for the printer, the text names
 * printers with larger paper.
 */
export function sheetEndWords(
  end: SheetEnd,
  printers: readonly PrinterView[],
): ReturnType<typeof paperWords> {
  if (end.kind === 'file') return paperWords({ kind: 'printed', file: end.saved.file, failure: null })
  const { outcome, wider } = end.printed
  const words = paperWords(outcome)
  if (outcome.failure?.code !== 'printer.paper_too_narrow') return words
  const names = printers
    .filter(({ name }) => wider.includes(name))
    .map(({ title, folder }) => printerName(title, folder !== null))
    .slice(0, 3)
  const advice =
    names.length > 0 ? m.sheets_choose_printer({ printers: formatChoices(names) }) : m.sheets_no_printer()
  return { ...words, text: `${words.text} ${advice}` }
}

export interface SheetsDeps {
  readonly bridge: ScandeskBridge
  readonly session: () => SessionView
  readonly station: () => StationView | null
  /** Called when the open station has a new secret for its command barcodes. */
  readonly onStation: (station: StationView) => void
}

/** The sheet that the operator prepares: its kind, its content and its paper. */
export class SheetsState implements Place {
  readonly #deps: SheetsDeps
  #kind = $state<ChosenKind>('commands')
  #part = $state<CommandPart>('tasks')
  #format = $state<SheetFormat>('a4')
  #source = $state<LocationSource>('book')
  #prefix = $state('')
  #typed = $state('')
  #badges = $state.raw<readonly BadgeDraft[]>([])
  #book = $state.raw<readonly LocationView[]>([])
  #choices = $state.raw<Choices>({ methods: [], printers: [], stations: [] })
  #printers = $state.raw<readonly PrinterView[]>([])
  #routes = $state.raw<readonly PrintRoute[]>([])
  #chosenPrinter = $state<string | null>(null)
  #busy = $state<'print' | 'save' | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #end = $state.raw<SheetEnd | null>(null)
  #renewal = $state<'none' | 'asked' | 'busy'>('none')

  constructor(deps: SheetsDeps) {
    this.#deps = deps
  }

  get kind(): ChosenKind {
    return this.#kind
  }
  set kind(kind: ChosenKind) {
    this.#change(() => (this.#kind = kind))
  }
  get part(): CommandPart {
    return this.#part
  }
  set part(part: CommandPart) {
    this.#change(() => (this.#part = part))
  }
  /** The layout of the selected sheet. */
  get layout(): SheetKind {
    return this.#kind === 'commands' && this.#part === 'digits' ? 'digits' : this.#kind
  }
  get format(): SheetFormat {
    return this.#format
  }
  set format(format: SheetFormat) {
    this.#change(() => (this.#format = format))
  }
  get source(): LocationSource {
    return this.#source
  }
  set source(source: LocationSource) {
    this.#change(() => (this.#source = source))
  }
  /**
   * Text that the operator typed. Of the locations in the location book (all locations that the desk knows), the sheet
   * of barcodes contains only those whose codes begin with this text.
   */
  get prefix(): string {
    return this.#prefix
  }
  set prefix(text: string) {
    this.#change(() => (this.#prefix = text))
  }
  /** The location codes that the operator typed, separated by line breaks, semicolons, commas or tabs. */
  get typed(): string {
    return this.#typed
  }
  set typed(text: string) {
    this.#change(() => (this.#typed = text))
  }
  get badges(): readonly BadgeDraft[] {
    return this.#badges
  }
  /** Number of locations in the book that have a code. Only these locations can be printed. */
  get bookCount(): number {
    return this.#book.filter(({ code }) => code !== null).length
  }
  get printers(): readonly PrinterView[] {
    return this.#printers
  }
  /**
   * The id of the printer for the sheet: the printer that the operator chose; otherwise the printer of the station's
   * route for this size of paper; otherwise the first printer. A printer that was removed from this computer does not
   * count. Null while no printer is known.
   */
  get printerId(): string | null {
    const size = this.#format === 'a4' ? 'page' : 'label'
    const route = this.#routes.find((one) => one.paper === 'sheet' && one.size === size)
    const wanted = [this.#chosenPrinter, route?.printerId, this.#printers[0]?.name]
    return wanted.find((id) => this.#printers.some(({ name }) => name === id)) ?? null
  }
  set printerId(name: string | null) {
    this.#change(() => (this.#chosenPrinter = name))
  }
  get busy(): 'print' | 'save' | null {
    return this.#busy
  }
  get failure(): Failure | null {
    return this.#failure
  }
  get end(): SheetEnd | null {
    return this.#end
  }
  /**
   * The secret in the command barcodes of this station. Null if the station has none, or if the sheet shows no
   * commands.
   */
  get secret(): CommandSecret | null {
    return this.#kind === 'commands' ? (this.#deps.station()?.commandSecret ?? null) : null
  }
  /** Whether the operator is asked about a new secret (`asked`), or the secret is being created (`busy`). */
  get renewal(): 'none' | 'asked' | 'busy' {
    return this.#renewal
  }
  get locations(): LocationContent {
    const wanted = this.#prefix.trim().toUpperCase()
    const codes =
      this.#source === 'typed'
        ? this.#typed.split(/\r?\n|[;,\t]/)
        : this.#book.flatMap(({ code }) => (code?.toUpperCase().startsWith(wanted) === true ? [code] : []))
    return locationContent(codes)
  }
  get content(): SheetWish['groups'] {
    if (this.#kind === 'commands') {
      if (this.#part === 'choices') return choiceContent(this.#choices)
      return this.#part === 'digits' ? numberContent() : commandContent()
    }
    if (this.#kind === 'calibration') return calibrationContent(this.#format)
    return this.#kind === 'locations' ? this.locations.groups : badgeContent(this.#badges)
  }
  /** The title at the head of the printed sheet, in the layouts that have a head. */
  get title(): string {
    return this.#kind === 'calibration' ? m.sheets_calibration_title() : m.help_commands()
  }
  get lead(): string {
    return this.#kind === 'calibration' ? m.sheets_calibration_lead() : m.sheets_commands_lead()
  }
  get count(): number {
    return this.content.reduce((sum, { entries }) => sum + entries.length, 0)
  }

  askToRenew(): void {
    this.#change(() => (this.#renewal = 'asked'))
  }
  keepSecret(): void {
    if (this.#renewal === 'asked') this.#renewal = 'none'
  }
  /**
   * Creates a new secret for the station, after the operator confirmed. Command barcodes with the old secret then no
   * longer work.
   */
  async renewSecret(): Promise<void> {
    const station = this.#deps.station()
    if (station === null || this.#renewal !== 'asked') return
    this.#renewal = 'busy'
    this.#failure = null
    const result = await this.#deps.bridge.station.renewSecret({ id: station.id })
    this.#renewal = 'none'
    if (result.ok) this.#deps.onStation(result.value)
    else this.#failure = result.error
  }

  /** Reads the data for the sheets. Called at every visit. */
  async load(): Promise<void> {
    const { bridge, session } = this.#deps
    const { username } = session()
    if (this.#badges.length === 0) this.#badges = [{ name: '', username: username ?? '' }]
    this.#end = null
    // `#renewal` is written and not read here, because a read would make the screen's effect call this function again
    this.#renewal = 'none'
    const [book, prints, setup, methods, stations] = await Promise.all([
      readLocations(bridge.location),
      bridge.print.list(),
      bridge.printer.setup(),
      bridge.catalogue.methods(),
      bridge.station.list(),
    ])
    this.#choices = {
      methods: methods.ok ? methods.value.methods : [],
      printers: prints.ok ? prints.value.printers : [],
      stations: stations.ok ? stations.value : [],
    }
    if (book.ok) this.#book = book.value
    if (prints.ok) this.#printers = prints.value.printers
    if (setup.ok) this.#routes = setup.value.routes
    this.#failure = [book, prints, setup, methods, stations].find((result) => !result.ok)?.error ?? null
  }

  /** Removes everything that the operator typed, because the next operator must not see it. */
  reset(): void {
    this.#kind = 'commands'
    this.#part = 'tasks'
    this.#prefix = ''
    this.#typed = ''
    this.#badges = []
    this.#chosenPrinter = null
    this.keepSecret()
    this.#end = null
    this.#failure = null
  }

  changeBadge(index: number, change: Partial<BadgeDraft>): void {
    this.#change(() => {
      this.#badges = this.#badges.map((badge, at) => (at === index ? { ...badge, ...change } : badge))
    })
  }
  addBadge(): void {
    this.#change(() => (this.#badges = [...this.#badges, { name: '', username: '' }]))
  }
  removeBadge(index: number): void {
    this.#change(() => (this.#badges = this.#badges.filter((_, at) => at !== index)))
  }
  /** Whether a user name is typed that a badge cannot contain: it is too long, or no barcode can encode it. */
  isBadgeWrong(badge: BadgeDraft): boolean {
    return badge.username.trim() !== '' && !isBadge(badge)
  }

  /** Does the action of the large button. */
  async primary(): Promise<void> {
    await this.print()
  }

  /** Runs a scanned command other than PRIMARY. Returns false if this screen has no action for the command. */
  run(command: Command): boolean {
    if (command === 'PRINTNOW') void this.print()
    else if (command === 'NEXT') this.#goOn()
    else return false
    return true
  }

  /** Selects the next kind of sheet, or the next part of the commands. After the last, the first follows. */
  #goOn(): void {
    const parts: readonly CommandPart[] = ['tasks', 'digits', 'choices']
    const nextPart = this.#kind === 'commands' ? parts[parts.indexOf(this.#part) + 1] : undefined
    if (nextPart === undefined)
      this.kind = kinds[(kinds.indexOf(this.#kind) + 1) % kinds.length] ?? 'commands'
    this.part = nextPart ?? 'tasks'
  }

  async print(): Promise<void> {
    if (this.#busy !== null || this.count === 0) return
    this.#begin('print')
    const result = await this.#deps.bridge.paper.sheet(this.#wish())
    this.#busy = null
    if (result.ok) this.#end = { kind: 'paper', printed: result.value }
    else this.#failure = result.error
  }

  async save(): Promise<void> {
    if (this.#busy !== null || this.count === 0) return
    this.#begin('save')
    const result = await this.#deps.bridge.paper.sheetPdf(this.#wish())
    this.#busy = null
    if (result.ok) this.#end = { kind: 'file', saved: result.value }
    else this.#failure = result.error
  }

  #begin(act: 'print' | 'save'): void {
    this.#busy = act
    this.#end = null
    this.#failure = null
  }

  #change(change: () => void): void {
    this.keepSecret()
    change()
    this.#end = null
    this.#failure = null
  }

  #wish(): SheetWish {
    return {
      kind: this.layout,
      format: this.#format,
      title: this.title,
      lead: this.lead,
      groups: this.content,
      printerId: this.printerId,
    }
  }
}
