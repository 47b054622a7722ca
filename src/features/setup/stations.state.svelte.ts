import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { ConnectionTest, StationDraft, StationView } from '#shared/bridge/views.ts'
import {
  type AddressFault,
  addressFault,
  isCode,
  parseHosts,
  type StationField,
  stationLimits,
} from '#shared/domain/station-fields.ts'
import type { Failure } from '#shared/errors/catalogue.ts'
import { Pane } from './pane-list.svelte.ts'

/** The fault of one field of a station; the address of the server may also have the faults of `AddressFault`. */
export type FieldFault = 'missing' | 'long' | 'code' | 'hosts' | AddressFault

type StationAct = 'test' | 'save'

const fields = Object.keys(stationLimits) as StationField[]
/**
 * The fields that must not be empty for each action: saving requires a name, a test does not. For each action, every
 * field that is not empty must also be valid.
 */
const neededFor: Readonly<Record<StationAct, readonly StationField[]>> = {
  test: ['baseUrl', 'wmsCode', 'customerCode'],
  save: ['name', 'baseUrl', 'wmsCode', 'customerCode'],
}

const emptyDraft: StationDraft = { name: '', baseUrl: '', wmsCode: '', customerCode: '', documentHosts: '' }

/**
 * If the name is missing, a test sends this text as the name, because the contract of the bridge requires a name. No
 * screen shows this text.
 */
const namelessDraft = '-'

/** The typed input for a station that is not saved yet. */
class NewStation {
  readonly fields = $state<StationDraft>({ ...emptyDraft })
  /** The server address that came from the command line. */
  #suggested = $state('')
  /** The action that the operator tried last. Only the fields that this action needs are marked as missing. */
  #tried = $state<StationAct | null>(null)

  /** Whether an operator typed anything for the new station. */
  get isTyped(): boolean {
    const { baseUrl, ...others } = this.trimmed
    const typedUrl = baseUrl === this.#suggested ? '' : baseUrl
    return [typedUrl, ...Object.values(others)].some((text) => text !== '')
  }

  get trimmed(): StationDraft {
    const { name, baseUrl, wmsCode, customerCode, documentHosts } = this.fields
    return {
      name: name.trim(),
      baseUrl: baseUrl.trim(),
      wmsCode: wmsCode.trim(),
      customerCode: customerCode.trim(),
      documentHosts: documentHosts.trim(),
    }
  }

  faultOf(field: StationField): FieldFault | null {
    if (this.#tried === null) return null
    const text = this.trimmed[field]
    if (text === '') return neededFor[this.#tried].includes(field) ? 'missing' : null
    if (text.length > stationLimits[field]) return 'long'
    if (field === 'baseUrl') return addressFault(text)
    if (field === 'documentHosts') return parseHosts(text).ok ? null : 'hosts'
    return field === 'name' || isCode(text) ? null : 'code'
  }

  /**
   * Returns whether the fields are valid for the action. After this call `faultOf` returns every fault that prevents
   * the action.
   */
  isReadyTo(act: StationAct): boolean {
    this.#tried = act
    return fields.every((field) => this.faultOf(field) === null)
  }

  suggest(baseUrl: string): void {
    if (this.#suggested === baseUrl || this.fields.baseUrl !== '') return
    this.fields.baseUrl = baseUrl
    this.#suggested = baseUrl
  }

  /** Empties the fields after the station was saved or discarded. */
  clear(): void {
    Object.assign(this.fields, emptyDraft)
    this.#tried = null
  }
}

interface StationsParts {
  readonly bridge: ScandeskBridge
  readonly onUsed: (station: StationView) => void
  /** Asks the operator before another station is used, and calls `go` if the operator agrees. */
  readonly beforeLeaving: (go: () => void) => void
  /** Saves the unsaved input of all places, because main refuses it after the change to another station. */
  readonly saveInput: () => Promise<void>
}

/**
 * The state of the server page: the stations of this computer, and the typed input for a new station. The input is kept
 * while other pages or screens are open. It is lost when the window closes.
 */
export class StationsState extends Pane {
  readonly #parts: StationsParts
  readonly #station = new NewStation()
  #list = $state.raw<readonly StationView[]>([])
  #currentId = $state<string | null>(null)
  #test = $state.raw<ConnectionTest | null>(null)
  #busy = $state<StationAct | null>(null)
  #failure = $state.raw<Failure | null>(null)
  /** The id of the station about whose removal the operator was asked last; null: no station. */
  #askedAbout = $state<string | null>(null)
  #removing = $state<string | null>(null)

  constructor(parts: StationsParts) {
    super()
    this.#parts = parts
  }

  get list(): readonly StationView[] {
    return this.#list
  }
  get currentId(): string | null {
    return this.#currentId
  }
  /** The station in use; null until the stations are read. */
  get current(): StationView | null {
    return this.#list.find(({ id }) => id === this.#currentId) ?? null
  }
  /** The typed input for a new station. */
  get draft(): StationDraft {
    return this.#station.fields
  }
  override get isChanged(): boolean {
    return this.#station.isTyped
  }
  /** Result of the last connection test; null before a test, and after the input changed. */
  get test(): ConnectionTest | null {
    return this.#test
  }
  get busy(): StationAct | null {
    return this.#busy
  }
  get failure(): Failure | null {
    return this.#failure
  }
  /** The station about whose removal the operator is asked now; null: there is no such question. */
  get asked(): StationView | null {
    return this.question === 'remove' ? (this.#list.find(({ id }) => id === this.#askedAbout) ?? null) : null
  }
  /** The id of the station that is being removed; null: none is. */
  get removing(): string | null {
    return this.#removing
  }

  /**
   * Returns the fault of a field for the action that was tried last; null for a valid field, and before the first
   * action.
   */
  faultOf(field: StationField): FieldFault | null {
    return this.#station.faultOf(field)
  }

  async load(): Promise<void> {
    const { station } = this.#parts.bridge
    const [list, current] = await Promise.all([station.list(), station.current()])
    if (list.ok) this.#list = list.value
    if (current.ok) this.#currentId = current.value.id
    this.#failure = list.ok ? null : list.error
  }

  /** Fills in the server address from the command line, once, unless an operator has typed an address. */
  suggest(baseUrl: string): void {
    this.#station.suggest(baseUrl)
  }

  /** Removes the last result and the open question, because they do not apply to the changed input. */
  changed(): void {
    this.#test = null
    this.#failure = null
    this.stay()
  }

  async runTest(): Promise<void> {
    await this.#withDraft('test', async (draft) => {
      const result = await this.#parts.bridge.station.test({ ...draft, name: draft.name || namelessDraft })
      if (result.ok) this.#test = result.value
      else this.#failure = result.error
    })
  }

  /** Saves the new station, without using it. */
  override async save(): Promise<boolean> {
    return (await this.#withDraft('save', (draft) => this.#save(draft))) !== null
  }

  async saveAndUse(): Promise<void> {
    await this.#withDraft('save', async (draft) => {
      const kept = await this.#save(draft)
      if (kept) await this.use(kept.id)
    })
  }

  /** Uses another station. Resolves when the station is in use, or when the question about unsent work is shown. */
  async use(id: string): Promise<void> {
    let used = Promise.resolve()
    const go = (): void => {
      used = this.#use(id)
    }
    if (id === this.#currentId) go()
    else this.#parts.beforeLeaving(go)
    await used
  }

  /** Asks the operator whether to remove a station, because its records on this computer are deleted with it. */
  askToRemove(id: string): void {
    this.#askedAbout = id
    this.askWhetherToRemove()
  }

  /** Removes the station about which the operator was asked. Resolves after its records are deleted. */
  async remove(): Promise<void> {
    const id = this.asked?.id
    this.stay()
    if (id === undefined) return
    this.#removing = id
    const result = await this.#parts.bridge.station.remove({ id })
    this.#removing = null
    if (result.ok) this.#list = result.value
    this.#failure = result.ok ? null : result.error
  }

  protected override startAgain(): void {
    this.#station.clear()
  }

  async #use(id: string): Promise<void> {
    await this.#parts.saveInput()
    const result = await this.#parts.bridge.station.use({ id })
    if (result.ok) this.#parts.onUsed(result.value)
    else this.#failure = result.error
  }

  /** Saves the new station and returns it; null if main refused it. */
  async #save(draft: StationDraft): Promise<StationView | null> {
    const saved = await this.#parts.bridge.station.save(draft)
    if (saved.ok) {
      this.#station.clear()
      // the saved station is added to the list here, because the call that uses it next may fail
      this.#list = [...this.#list.filter(({ id }) => id !== saved.value.id), saved.value]
    } else this.#failure = saved.error
    return saved.ok ? saved.value : null
  }

  /**
   * Runs an action with the input that the operator typed, and returns its result. Returns null if another action is
   * under way, or if the input is not valid for this action.
   */
  async #withDraft<T>(busy: StationAct, run: (draft: StationDraft) => Promise<T>): Promise<T | null> {
    if (this.#busy !== null || !this.#station.isReadyTo(busy)) return null
    this.#busy = busy
    this.#test = null
    this.#failure = null
    const result = await run(this.#station.trimmed)
    this.#busy = null
    return result
  }
}
