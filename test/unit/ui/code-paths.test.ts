import { describe, expect, it } from 'vitest'
import { commandBarcode, commands } from '#shared/domain/commands.ts'
import { code128Bars } from '#ui/code-paths.ts'

/** The widths of bars and spaces in turn, in the order of the symbology. */
function widths(text: string): number[] {
  const { bars, modules } = code128Bars(text)
  return bars.flatMap(({ x, width }, i) => {
    const next = bars[i + 1]?.x ?? modules
    return next === x + width ? [width] : [width, next - x - width]
  })
}

describe('a command barcode', () => {
  it.each(commands)('is a whole Code 128 barcode of set B: %s', (command) => {
    const text = commandBarcode(command)
    const elements = widths(text)
    // start B, one symbol a character, check symbol, stop: six elements each, the stop seven
    expect(elements).toHaveLength((text.length + 2) * 6 + 7)
    expect(elements.slice(0, 6)).toEqual([2, 1, 1, 2, 1, 4])
    expect(elements.slice(-7)).toEqual([2, 3, 3, 1, 1, 1, 2])
    for (let at = 0; at < elements.length - 7; at += 6) {
      expect(elements.slice(at, at + 6).reduce((sum, width) => sum + width)).toBe(11)
    }
    // the S of SDCMD, and the D after it
    expect(elements.slice(6, 18)).toEqual([2, 1, 3, 1, 1, 3, 1, 1, 2, 3, 1, 3])
  })

  it('differs from every other one', () => {
    expect(new Set(commands.map((command) => widths(commandBarcode(command)).join(''))).size).toBe(
      commands.length,
    )
  })
})
