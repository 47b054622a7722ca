import { describe, expect, it } from 'vitest'
import { LoneKeys, type PassedKey } from '#shared/domain/wedge/lone-keys.ts'

const onBody = { repeat: false, presses: false, inField: false }
const onButton = { ...onBody, presses: true }
const inField = { ...onBody, inField: true }

/** Feeds keys, each with the gap in milliseconds since the key before, and returns the decisions. */
function decide(keys: LoneKeys<string>, typed: readonly (readonly [number, Partial<PassedKey>])[]): string {
  let atMs = 1000
  const decisions = typed.map(([gapMs, key]) => {
    atMs += gapMs
    keys.heard(atMs)
    return keys.decide({ key: 'Tab', ...onBody, ...key }, `focus at ${String(atMs)}`)
  })
  return decisions.join(' ')
}

describe('LoneKeys', () => {
  it.each([8, 35, 60])(
    'lets only the first Tab of a barcode pass, and no Enter or space, at %i ms per key',
    (gapMs) => {
      const keys = new LoneKeys<string>()
      const barcode = [
        [500, {}],
        [gapMs, {}],
        [gapMs, {}],
        [gapMs, { ...onButton, key: ' ' }],
        [gapMs, { ...onButton, key: 'Enter' }],
        [gapMs, { key: 'Enter' }],
      ] as const
      expect(decide(keys, barcode)).toBe('pass stop stop stop stop stop')
      expect([keys.takeFocus(), keys.takeFocus()]).toEqual([{ focus: 'focus at 1500' }, null])
    },
  )

  it('stops, after it has stopped a key of a barcode, also a key that follows a pause of a wireless scanner', () => {
    const keys = new LoneKeys<string>()
    const barcode = [
      [500, {}],
      [8, {}],
      [240, {}],
      [240, { key: 'Enter' }],
      [260, { key: 'Enter' }],
    ] as const
    expect(decide(keys, barcode)).toBe('pass stop stop stop pass')
  })

  it('stops the further Tab keys of a barcode in a field, also after a call of takeFocus()', () => {
    const keys = new LoneKeys<string>()
    expect(
      decide(keys, [
        [500, inField],
        [8, inField],
      ]),
    ).toBe('pass stop')
    keys.takeFocus()
    keys.heard(1516)
    expect(keys.decide({ ...inField, key: 'Tab' }, '')).toBe('stop')
  })

  it('stops a Tab, or a key that presses a button, directly after a key that moves no focus', () => {
    expect(
      decide(new LoneKeys(), [
        [500, { key: 'Escape' }],
        [8, {}],
      ]),
    ).toBe('pass stop')
    expect(
      decide(new LoneKeys(), [
        [500, { key: 'A' }],
        [50, { ...onButton, key: 'Enter' }],
      ]),
    ).toBe('pass stop')
  })

  it('lets an operator reach each control by single presses of Tab or by holding Tab, and press it', () => {
    const held = { repeat: true }
    const byHand = [
      [500, {}],
      [61, {}],
      [500, held],
      [30, held],
      [30, held],
      [90, { ...onButton, key: 'Enter' }],
      [90, { ...onButton, key: ' ' }],
    ] as const
    expect(decide(new LoneKeys(), byHand)).toBe('pass pass pass pass pass wait wait')
  })

  it('presses a control once while Enter is held', () => {
    const enter = { ...onButton, key: 'Enter' }
    const held = { ...enter, repeat: true }
    expect(
      decide(new LoneKeys(), [
        [500, enter],
        [400, held],
        [30, held],
      ]),
    ).toBe('wait stop stop')
  })

  it('lets an operator type fast in a field, and leave the field with Tab or Enter', () => {
    const letter = { ...inField, key: '5' }
    expect(
      decide(new LoneKeys(), [
        [500, letter],
        [40, letter],
        [40, inField],
        [40, letter],
      ]),
    ).toBe('pass pass pass pass')
    expect(
      decide(new LoneKeys(), [
        [500, letter],
        [40, { ...inField, presses: true, key: 'Enter' }],
      ]),
    ).toBe('pass wait')
  })

  it('stops an Enter in a field directly after another Enter or a Tab', () => {
    const enter = { ...inField, presses: true, key: 'Enter' }
    expect(
      decide(new LoneKeys(), [
        [500, enter],
        [8, enter],
      ]),
    ).toBe('wait stop')
    expect(
      decide(new LoneKeys(), [
        [500, inField],
        [8, enter],
      ]),
    ).toBe('pass stop')
  })

  it.each([8, 16, 31])(
    'counts modifiers between the keys of a barcode as its keys, at %i ms per press or release',
    (gapMs) => {
      const keys = new LoneKeys<string>()
      let atMs = 1000
      const barcode = [{}, {}, {}, { ...onButton, key: 'Enter' }].map((key) => {
        keys.heard((atMs += gapMs))
        const decision = keys.decide({ key: 'Tab', ...onBody, ...key }, 'focus')
        for (let i = 0; i < 8; i++) expect(keys.modifier((atMs += gapMs), i % 2 === 0)).toBe(true)
        return decision
      })
      expect(barcode).toEqual(['pass', 'stop', 'stop', 'stop'])
    },
  )

  it('stops the Enter of a scanner after a barcode of modifiers alone', () => {
    const keys = new LoneKeys<string>()
    expect([keys.modifier(1000, true), keys.modifier(1008, false)]).toEqual([false, true])
    keys.heard(1016)
    expect(keys.decide({ ...onButton, key: 'Enter' }, '')).toBe('stop')
  })

  it('lets an operator move the focus with Shift+Tab, and press a control after that', () => {
    const keys = new LoneKeys<string>()
    for (const atMs of [1000, 1200, 1400]) {
      expect(keys.modifier(atMs, true)).toBe(false)
      keys.heard(atMs + 15)
      expect(keys.decide({ key: 'Tab', ...onBody }, '')).toBe('pass')
      keys.modifier(atMs + 60, false)
    }
    keys.heard(1530)
    expect(keys.decide({ ...onButton, key: 'Enter' }, '')).toBe('wait')
  })
})
