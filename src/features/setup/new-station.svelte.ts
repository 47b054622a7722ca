import type { StationDraft } from '#shared/bridge/views.ts'
import {
  type AddressFault,
  addressFault,
  isCode,
  parseHosts,
  type StationField,
  stationLimits,
} from '#shared/domain/station-fields.ts'

/** What is wrong with one field; an address has faults of its own. */
export type FieldFault = 'missing' | 'long' | 'code' | 'hosts' | AddressFault

const fields = Object.keys(stationLimits) as StationField[]
/** What each action asks for: a test names no station. What is typed has to be right for both. */
const neededFor: Readonly<Record<'test' | 'save', readonly StationField[]>> = {
  test: ['baseUrl', 'wmsCode', 'customerCode'],
  save: ['name', 'baseUrl', 'wmsCode', 'customerCode'],
}

const emptyDraft: StationDraft = { name: '', baseUrl: '', wmsCode: '', customerCode: '', documentHosts: '' }

/** What is typed about a station that is not kept yet. */
export class NewStation {
  readonly fields = $state<StationDraft>({ ...emptyDraft })
  /** The address that the command line filled in. */
  #suggested = $state('')
  /** The action last tried on this draft: only what that one needs is asked for. */
  #tried = $state<'test' | 'save' | null>(null)

  /** Whether a hand put something in. */
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

  /** What is wrong with a field for the action last tried; null before the first, and where nothing is. */
  faultOf(field: StationField): FieldFault | null {
    if (this.#tried === null) return null
    const text = this.trimmed[field]
    if (text === '') return neededFor[this.#tried].includes(field) ? 'missing' : null
    if (text.length > stationLimits[field]) return 'long'
    if (field === 'baseUrl') return addressFault(text)
    if (field === 'documentHosts') return parseHosts(text).ok ? null : 'hosts'
    return field === 'name' || isCode(text) ? null : 'code'
  }

  /** Returns whether no field stands in the action's way; from then on `faultOf` names every one that does. */
  isReadyTo(action: 'test' | 'save'): boolean {
    this.#tried = action
    return fields.every((field) => this.faultOf(field) === null)
  }

  /** Fills in a server named on the command line, once, unless somebody already typed one. */
  suggest(baseUrl: string): void {
    if (this.#suggested === baseUrl || this.fields.baseUrl !== '') return
    this.fields.baseUrl = baseUrl
    this.#suggested = baseUrl
  }

  /** It is kept, or not wanted any more. */
  clear(): void {
    Object.assign(this.fields, emptyDraft)
    this.#tried = null
  }
}
