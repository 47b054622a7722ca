import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { optionFor, restoreSnapshot } from '#scanner/fields.ts'

const labels = ['Zebra left', 'Label folder', null, 'label printer', '  Épée', 'Zebra right']

describe('optionFor()', () => {
  it.each([
    ['one letter', 0, 'l', 1],
    ['the same letter again', 1, 'll', 3],
    ['the same letter, round again', 3, 'lll', 1],
    ['letters of another case', 0, 'LABEL P', 3],
    ['a second letter that the chosen one also has', 1, 'la', 1],
    ['a second letter that the chosen one lacks', 0, 'zebra r', 5],
    ['a letter after spaces', 0, 'é', 4],
    ['a letter with nothing chosen', -1, 'z', 0],
    ['a letter with which no option begins', 0, 'x', null],
  ])('selects the same option as a browser, for %s', (_, chosen, typed, meant) => {
    expect(optionFor(labels, chosen, typed)).toBe(meant)
  })

  it('returns null if all options are disabled or the list is empty', () => {
    expect(optionFor([null, null], 0, 'z')).toBeNull()
    expect(optionFor([], -1, 'z')).toBeNull()
  })
})

/** A page with one undo history for all fields. As in Chromium, typing without a pause in one field is one step. */
class FakePage extends EventTarget {
  active: FakeField | null = null
  steps: { readonly field: FakeField; readonly before: string; after: string }[] = []
  undone: FakePage['steps'] = []

  get activeElement(): FakeField | null {
    return this.active
  }

  /** Ends the step, so that further typing is a step of its own. */
  set(field: FakeField, value: string): void {
    this.steps.push({ field, before: field.value, after: value })
    field.change(value)
  }

  join(field: FakeField, value: string): void {
    const last = this.steps.at(-1)
    if (last) last.after = value
    field.change(value)
  }

  execCommand(command: string, _ui?: boolean, text = ''): boolean {
    const [from, to] = command === 'redo' ? [this.undone, this.steps] : [this.steps, this.undone]
    if (command === 'insertText' || command === 'delete') {
      if (this.active) this.set(this.active, text)
      return true
    }
    const step = from.pop()
    if (!step) return false
    to.push(step)
    // like a browser, moves the focus to the field in which the undone or repeated change was made
    this.active = step.field
    step.field.change(command === 'redo' ? step.after : step.before)
    return true
  }
}

/** A field whose selected text is always its whole text. */
class FakeField {
  readonly isConnected = true
  /** Each value that the listeners of the field saw. */
  readonly seen: string[] = []
  caret = 0

  readonly ownerDocument: FakePage
  value: string

  constructor(page: FakePage, value: string) {
    this.ownerDocument = page
    this.value = value
  }

  readonly select = (): void => undefined
  readonly focus = (): void => {
    this.ownerDocument.active = this
  }
  readonly setSelectionRange = (start: number): void => {
    this.caret = start
  }

  change(value: string): void {
    this.value = value
    this.dispatchEvent(new Event('input', { cancelable: true }))
  }

  dispatchEvent(event: Event): void {
    Object.defineProperty(event, 'target', { value: this })
    const stop = vi.spyOn(event, 'stopImmediatePropagation')
    this.ownerDocument.dispatchEvent(event)
    if (stop.mock.calls.length === 0) this.seen.push(this.value)
  }
}

describe('restoreSnapshot()', () => {
  let page: FakePage
  let street: FakeField
  let zip: FakeField

  beforeEach(() => {
    vi.stubGlobal('HTMLSelectElement', Map)
    vi.stubGlobal('InputEvent', Event)
    page = new FakePage()
    street = new FakeField(page, 'Old street')
    zip = new FakeField(page, '1000')
    page.set(street, 'Elm')
    page.active = zip
  })
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  /**
   * Restores the zip code. Returns the values that the listeners of the zip code and of the street receive meanwhile.
   */
  function restore(value: string): readonly (readonly string[])[] {
    const before = [zip, street].map(({ seen }) => seen.length)
    const element = zip as unknown as HTMLInputElement
    restoreSnapshot({ element, value, start: 2, end: 2 })
    return [zip, street].map(({ seen }, i) => seen.slice(before[i]))
  }

  it('undoes only the scan if the scan is a step of its own', () => {
    page.set(zip, '2000')
    page.set(zip, '2000SHP')
    expect(restore('2000')).toEqual([['2000'], []])
    expect(zip).toMatchObject({ value: '2000', caret: 2 })
    expect(page.steps.map(({ after }) => after)).toEqual(['Elm', '2000'])
  })

  it.each(['2000', ''])(
    'removes only the characters of the scan from a step of the operator that the scan continued, and keeps other fields; text before the scan: %j',
    (typed) => {
      page.set(zip, typed)
      page.join(zip, `${typed}SHP`)
      expect(restore(typed)).toEqual([[typed], []])
      expect([street.value, zip.value, page.active]).toEqual(['Elm', typed, zip])
      expect(page.steps).toEqual([
        { field: street, before: 'Old street', after: 'Elm' },
        { field: zip, before: '1000', after: typed },
      ])
    },
  )

  it('changes only the field of the scan if the undo history has no step of the scan', () => {
    zip.value = '1000SHP'
    expect(restore('1000')).toEqual([['1000'], []])
    expect([street.value, zip.value, page.active]).toEqual(['Elm', '1000', zip])
    expect(page.steps.map(({ after }) => after)).toEqual(['Elm'])
  })

  it('does not move the focus out of another field', () => {
    page.set(zip, '1000SHP')
    page.active = street
    expect(restore('1000')).toEqual([['1000'], []])
    expect([street.value, zip.value, page.active]).toEqual(['Elm', '1000', street])
  })
})
