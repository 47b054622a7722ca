import { describe, expect, it } from 'vitest'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { accentCount, accentOf } from '#ui/accent.ts'

const css = readFileSync(join(import.meta.dirname, '../../../src/ui/tokens.css'), 'utf8')
const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)')

function tokensOf(text: string): Map<string, string> {
  const root = /:root \{([^}]*)\}/.exec(text)?.[1] ?? ''
  return new Map(
    [...root.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
  )
}

/** The accent colours of a theme; the first is that of :root. */
function accentsOf(text: string): string[] {
  return [...text.matchAll(/--accent: (#[0-9a-f]{6});/g)].map(([, value = '']) => value)
}

/** Relative luminance (WCAG 2.2). */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: string, other: string): number {
  const [bright = 0, dim = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (bright + 0.05) / (dim + 0.05)
}

describe.each([
  ['light', light],
  ['dark', dark],
])('the colours of the %s theme', (_name, text) => {
  const tokens = tokensOf(text)
  const value = (name: string): string => tokens.get(name) ?? ''

  it.each([
    ['ink', 'paper'],
    ['ink', 'sheet'],
    ['ink-soft', 'paper'],
    ['ink-soft', 'sheet'],
    ...['done', 'look', 'stop', 'decide'].flatMap((outcome) => [
      ['ink', `${outcome}-soft`],
      [outcome, `${outcome}-soft`],
      [outcome, 'sheet'],
      [outcome, 'paper'],
    ]),
  ])('have a contrast of at least 7:1, to be read from two metres: %s on %s', (ink = '', ground = '') => {
    expect(contrast(value(ink), value(ground))).toBeGreaterThanOrEqual(7)
  })

  it.each([...accentsOf(text)])(
    'include the accent %s, which has enough contrast to the background colour `paper` and to text on the accent',
    (accent) => {
      expect(contrast(accent, value('on-accent'))).toBeGreaterThanOrEqual(7)
      expect(contrast(accent, value('paper'))).toBeGreaterThanOrEqual(3)
    },
  )

  it('show the focus and the edges of controls with enough contrast', () => {
    for (const name of ['line-strong', 'focus'])
      expect(contrast(value(name), value('sheet'))).toBeGreaterThanOrEqual(3)
  })

  it('define exactly as many accent colours as the app uses', () => {
    expect(new Set(accentsOf(text)).size).toBe(accentCount)
  })
})

describe('the accent colour of a customer', () => {
  it('is the same in upper and lower case of the customer code, and is one of eight, all of which are used', () => {
    expect(accentOf('ZILVER')).toBe(accentOf('zilver'))
    const used = new Set(Array.from({ length: 200 }, (_, i) => accentOf(`customer ${String(i)}`)))
    expect([...used].toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })
})
