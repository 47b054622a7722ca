import { describe, expect, it } from 'vitest'
import { commandBarcode, commands } from '#shared/domain/commands.ts'
import { code128Bars } from '#ui/code-paths.ts'

/** Returns the widths of a barcode's elements in modules: a bar, a space, a bar and so on. */
function widths(text: string): number[] {
  const { bars, modules } = code128Bars(text)
  return bars.flatMap(({ x, width }, i) => {
    const next = bars[i + 1]?.x ?? modules
    return next === x + width ? [width] : [width, next - x - width]
  })
}

describe('the barcode of a command', () => {
  it.each(commands)('is a complete Code 128 barcode of code set B: %s', (command) => {
    const text = commandBarcode(command)
    const elements = widths(text)
    // start symbol B, one symbol for each character, check symbol and stop symbol: six elements each, but seven for the
    // stop symbol
    expect(elements).toHaveLength((text.length + 2) * 6 + 7)
    expect(elements.slice(0, 6)).toEqual([2, 1, 1, 2, 1, 4])
    expect(elements.slice(-7)).toEqual([2, 3, 3, 1, 1, 1, 2])
    for (let at = 0; at < elements.length - 7; at += 6) {
      expect(elements.slice(at, at + 6).reduce((sum, width) => sum + width)).toBe(11)
    }
    // the widths of the bars and spaces of the first two characters of the text, S and D
    expect(elements.slice(6, 18)).toEqual([2, 1, 3, 1, 1, 3, 1, 1, 2, 3, 1, 3])
  })

  it('is different from the barcode of every other command', () => {
    expect(new Set(commands.map((command) => widths(commandBarcode(command)).join(''))).size).toBe(
      commands.length,
    )
  })
})
