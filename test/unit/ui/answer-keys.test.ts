import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerKeys } from '#ui/answer-keys.ts'

let window: EventTarget
let answered: string[]
let stop: () => void
/** Whether a modal dialog is open. */
let isCovered: boolean

/** A key event; `at`: its timestamp in ms. */
function press(type: 'keydown' | 'keyup', key: string, at: number, target: object | null = null): void {
  const event = new Event(type)
  const more = { key, ctrlKey: false, altKey: false, metaKey: false, isComposing: false, repeat: false }
  for (const [name, value] of Object.entries({ ...more, timeStamp: at, target }))
    Object.defineProperty(event, name, { value })
  window.dispatchEvent(event)
}

function type(key: string, at: number, heldMs: number): void {
  press('keydown', key, at)
  press('keyup', key, at + heldMs)
}

beforeEach(() => {
  vi.useFakeTimers()
  window = new EventTarget()
  answered = []
  const answers = { Y: () => answered.push('yes'), N: () => answered.push('no') }
  isCovered = false
  const querySelector = (selector: string): object | null =>
    selector === 'dialog:modal' && isCovered ? {} : null
  stop = answerKeys(answers, window)({ ownerDocument: { querySelector } })
})

afterEach(() => {
  stop()
  vi.useRealTimers()
})

describe('the letter keys that answer a question', () => {
  it('answer the question when an operator presses y or n, in upper or lower case', () => {
    type('y', 0, 90)
    vi.advanceTimersByTime(1000)
    type('N', 2000, 90)
    vi.advanceTimersByTime(1000)
    expect(answered).toEqual(['yes', 'no'])
  })

  it('do not answer if the key is held only briefly or another key follows soon, as in a scan', () => {
    type('N', 0, 4)
    vi.advanceTimersByTime(1000)
    expect(answered).toEqual([])
    // a slow scanner can hold a key for the same time as an operator, but it sends the next key soon
    type('N', 2000, 80)
    vi.advanceTimersByTime(120)
    type('7', 2120, 80)
    vi.advanceTimersByTime(1000)
    expect(answered).toEqual([])
  })

  it('do not answer while the operator types into a field', () => {
    const field = { selectionStart: 0 }
    press('keydown', 'n', 0, field)
    press('keyup', 'n', 90, field)
    vi.advanceTimersByTime(1000)
    expect(answered).toEqual([])
  })

  it('answer even if a checkbox has the focus', () => {
    const box = { selectionStart: null, type: 'checkbox' }
    press('keydown', 'n', 0, box)
    press('keyup', 'n', 90, box)
    vi.advanceTimersByTime(1000)
    expect(answered).toEqual(['no'])
  })

  it('do not answer while a modal dialog covers the question, even if the dialog opened after the key was pressed', () => {
    type('y', 0, 90)
    vi.advanceTimersByTime(100)
    isCovered = true
    vi.advanceTimersByTime(1000)
    type('y', 2000, 90)
    vi.advanceTimersByTime(1000)
    expect(answered).toEqual([])
    isCovered = false
    type('y', 4000, 90)
    vi.advanceTimersByTime(1000)
    expect(answered).toEqual(['yes'])
  })

  it('do not answer after the question was closed', () => {
    type('y', 0, 90)
    stop()
    vi.advanceTimersByTime(1000)
    expect(answered).toEqual([])
  })
})
