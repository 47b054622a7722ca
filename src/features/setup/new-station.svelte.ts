import type { StationDraft } from '#shared/bridge/views.ts'

const testFields = ['baseUrl', 'wmsCode', 'customerCode'] as const
const saveFields = ['name', ...testFields] as const
export type DraftField = (typeof saveFields)[number]

/** What each action asks for: a test names no station. */
const neededFor: Record<'test' | 'save', readonly DraftField[]> = { test: testFields, save: saveFields }

const emptyDraft: StationDraft = { name: '', baseUrl: '', wmsCode: '', customerCode: '', documentHosts: '' }

/** What is typed about a station that is not kept yet. */
export class NewStation {
  readonly fields = $state<StationDraft>({ ...emptyDraft })
  /** What stood in the form by itself. */
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

  /** Whether a field was left empty that the action last tried needs. */
  isMissing(field: DraftField): boolean {
    const needed = this.#tried === null ? [] : neededFor[this.#tried]
    return needed.includes(field) && this.fields[field].trim() === ''
  }

  /** Answers whether all is there that the action needs; what is missing is asked for from then on. */
  isReadyTo(action: 'test' | 'save'): boolean {
    this.#tried = action
    return !neededFor[action].some((field) => this.isMissing(field))
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
