import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

describe('the command barcodes of a station', () => {
  it('are created and read outside src/place and src/shared only by functions that use the station secret: no file there imports commandBarcode, namedBarcode or readCommand', () => {
    const files = globSync('src/{app,features,ui,scanner}/**/*.{ts,svelte}')
    expect(files.length).toBeGreaterThan(100)
    const bare = /\b(commandBarcode|namedBarcode|readCommand)\b/
    const wrong = files.filter((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .some((line) => bare.test(line) && line.includes('import')),
    )
    expect(wrong).toEqual([])
  })
})
