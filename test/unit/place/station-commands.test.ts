import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('screens make and read command barcodes with the secret of the station, never without', () => {
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
