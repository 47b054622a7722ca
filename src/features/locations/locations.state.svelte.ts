import type { Place, PlaceWindow } from '#place/place.ts'
import { readLocations } from '#place/location-book.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { LocationImport, LocationTypeList, LocationView } from '#shared/bridge/stock-views.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { fail, type Result } from '#shared/errors/result.ts'
import type { Sound } from '#scanner/sound.ts'
import { m } from '#messages/messages.js'

interface LocationsDeps {
  readonly bridge: ScandeskBridge
  readonly stationId: PlaceWindow['stationId']
  readonly play: (sound: Sound) => void
}

/**
 * Largest file that the contract of the bridge accepts, in characters. A book of 50,000 locations has half of this
 * length.
 */
const longestFile = 4_000_000

/**
 * The book of locations. The service has no list of locations, so the desk stores the codes of all locations that it
 * has received.
 */
export class LocationsState implements Place {
  /** Text by which the list is filtered. */
  filter = $state('')
  readonly #deps: LocationsDeps
  #locations = $state.raw<readonly LocationView[] | null>(null)
  #types = $state.raw<LocationTypeList | null>(null)
  #failure = $state.raw<Failure | null>(null)
  #importFailure = $state.raw<Failure | null>(null)
  #imported = $state.raw<LocationImport | null>(null)
  #fileName = $state('')
  #importing = $state(false)
  #busy = $state(false)
  /** The location that is deleted if the operator confirms the question; null if no question is open. */
  #forgetting = $state<string | null>(null)
  /**
   * Increases when the operator or the station changes. The result of a call that began at a lower number is dropped.
   */
  #visit = 0

  constructor(deps: LocationsDeps) {
    this.#deps = deps
  }

  /**
   * The locations, sorted by code; null until they are read. Locations without a code are first, because an operator
   * has to give them one.
   */
  get locations(): readonly LocationView[] | null {
    return this.#locations
  }
  get found(): readonly LocationView[] {
    const part = this.filter.trim().toLowerCase()
    const all = this.#locations ?? []
    if (part === '') return all
    return all.filter(({ id, code }) => (code ?? '').toLowerCase().includes(part) || id.startsWith(part))
  }
  get types(): LocationTypeList | null {
    return this.#types
  }
  get failure(): Failure | null {
    return this.#failure
  }
  /** Why the last import changed nothing. */
  get importFailure(): Failure | null {
    return this.#importFailure
  }
  get imported(): LocationImport | null {
    return this.#imported
  }
  get fileName(): string {
    return this.#fileName
  }
  get importing(): boolean {
    return this.#importing
  }
  get busy(): boolean {
    return this.#busy
  }
  get forgetting(): string | null {
    return this.#forgetting
  }

  visit(): void {
    void this.load()
  }

  reset(): void {
    this.#visit += 1
    this.filter = ''
    this.#locations = null
    this.#types = null
    this.#failure = null
    this.#importFailure = null
    this.#imported = null
    this.#fileName = ''
    this.#importing = false
    this.#busy = false
    this.#forgetting = null
  }

  async load(): Promise<void> {
    const { location } = this.#deps.bridge
    const visit = this.#visit
    const [list, types] = await Promise.all([readLocations(location), location.types()])
    if (visit !== this.#visit) return
    if (list.ok) this.#put(list.value)
    if (types.ok) this.#types = types.value
    this.#failure = list.ok ? null : list.error
  }

  /**
   * Imports a CSV file. Lines that cannot be read are skipped and listed. The locations belong to the station at which
   * the file was chosen: main refuses them if another station was opened while the file was read.
   */
  async importFile(file: { readonly name: string; readonly text: () => Promise<string> }): Promise<void> {
    if (this.#importing) return
    this.#importing = true
    this.#fileName = file.name
    this.#imported = null
    this.#importFailure = null
    const visit = this.#visit
    const station = this.#deps.stationId()
    const text = await file.text().catch(() => null)
    const imported = await this.#import(text, station)
    const list = imported.ok ? await readLocations(this.#deps.bridge.location) : null
    if (visit !== this.#visit) return
    this.#importing = false
    if (!imported.ok) {
      this.#importFailure = imported.error
      this.#deps.play('stop')
      return
    }
    this.#imported = imported.value
    if (list?.ok === true) this.#put(list.value)
    this.#failure = list?.ok === false ? list.error : null
    this.#deps.play(imported.value.skipped.length > 0 ? 'look' : 'done')
  }

  /** `text`: the content of the file; null if it could not be read. */
  #import(text: string | null, station: string | undefined): Promise<Result<LocationImport>> {
    if (text === null) return Promise.resolve(fail('location.file_unreadable'))
    if (text.length > longestFile) return Promise.resolve(fail('location.file_too_large'))
    return this.#deps.bridge.location.import({ text }, station)
  }

  /** Names a location. Returns whether the name was saved. */
  async name(id: string, code: string): Promise<boolean> {
    const wanted = code.trim()
    if (wanted === '') return false
    return this.#act(id, () => this.#deps.bridge.location.name({ id, code: wanted }))
  }

  askToForget(id: string | null): void {
    this.#forgetting = id
  }

  async forget(id: string): Promise<void> {
    this.#forgetting = null
    await this.#act(id, () => this.#deps.bridge.location.forget({ id }))
  }

  /** Makes a call that changes or removes the location `id`. The result is the changed location; null: removed. */
  async #act(id: string, call: () => Promise<Result<LocationView | null>>): Promise<boolean> {
    if (this.#busy) return false
    this.#busy = true
    this.#failure = null
    const visit = this.#visit
    const result = await call()
    if (visit !== this.#visit) return result.ok
    this.#busy = false
    if (result.ok) {
      const others = (this.#locations ?? []).filter((one) => one.id !== id)
      this.#put(result.value ? [...others, result.value] : others)
      this.#deps.play('done')
    } else this.#fail(result.error)
    return result.ok
  }

  #put(locations: readonly LocationView[]): void {
    const byCode = new Intl.Collator('en', { numeric: true })
    this.#locations = locations.toSorted((a, b) => byCode.compare(a.code ?? '', b.code ?? ''))
  }

  #fail(failure: Failure): void {
    this.#failure = failure
    this.#deps.play('stop')
  }
}

export const sourceWords: Record<LocationView['source'], () => string> = {
  import: m.location_source_import,
  scan: m.location_source_scan,
  modification: m.location_source_modification,
}

export const skippedWords: Record<LocationImport['skipped'][number]['why'], () => string> = {
  no_id: m.import_no_id,
  no_code: m.import_no_code,
  code_twice: m.import_code_twice,
  columns: m.import_columns,
}
