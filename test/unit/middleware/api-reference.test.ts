import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withGeneratedTables } from '#middleware/api-reference.ts'
import type { Route } from '#shared/wire/routes.ts'
import { servedRoutes } from '#shared/wire/warehouse-routes.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const reference = read('electron/middleware/API.md')
const openApi = read('resources/openapi.json')
const sections = [...reference.matchAll(/^(##|###) (\d+(?:\.\d+)?) /gm)].map(([, marks, number = '']) => ({
  marks,
  number,
}))

/** The sources and documents of this project, without files of other projects. */
const files = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...['electron', 'src', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  ),
].filter((path) => /\.(ts|svelte|js|mjs|cjs|md)$/.test(path) && !path.startsWith(join('src', 'messages')))

describe('API.md', () => {
  it('contains exactly the tables that node electron/middleware/entry/openapi.ts writes', () => {
    expect(withGeneratedTables(reference, openApi) === reference).toBe(true)
  })

  it('lists every call of the middleware once', () => {
    const shown = [...reference.matchAll(/^\| `([A-Z]+ \/[^`]+)`/gm)].map(([, call = '']) => call)
    const served = Object.values<Route<string>>(servedRoutes).flatMap(({ method, path, otherPath }) =>
      [path, otherPath ?? []].flat().map((each) => `${method} ${each}`),
    )
    expect(shown.sort()).toEqual(served.sort())
  })

  it('numbers its sections without a gap', () => {
    let [chapter, section] = [0, 0]
    for (const { marks, number } of sections) {
      if (marks === '##') [chapter, section] = [chapter + 1, 0]
      else section += 1
      expect(number).toBe(section === 0 ? String(chapter) : `${chapter}.${section}`)
    }
    expect(chapter).toBeGreaterThan(10)
  })

  it('refers only to sections that it contains', () => {
    const number = String.raw`\d{1,2}(?:\.\d+)?`
    const reading = new RegExp(String.raw`\((${number}(?:, ${number})*)\)|section (${number})`, 'g')
    const numbers = [...reference.matchAll(reading)].flatMap(
      ([, list, one]) => list?.split(', ') ?? one ?? [],
    )
    expect(numbers.length).toBeGreaterThan(20)
    expect(numbers.filter((number) => !isSection(number))).toEqual([])
  })
})

describe('a citation of API.md', () => {
  it('names only sections that API.md contains', () => {
    // in a comment, a line break may separate `API.md` from the section number
    const citation = /\bAPI\.md,?\s+(?:(?:\*|\/\/)\s+)?(\d+(?:\.\d+)?(?:(?:, | and )\d+\.\d+)*)/g
    const cited = files.flatMap((file) =>
      [...read(file).matchAll(citation)].flatMap(([, list = '']) =>
        list.split(/, | and /).map((number) => ({ file, number })),
      ),
    )
    expect(cited.length).toBeGreaterThan(150)
    expect(cited.filter(({ number }) => !isSection(number))).toEqual([])
  })

  it('does not name API.md by its former file name in lower case', () => {
    const old = ['api', 'md'].join('.')
    expect(files.filter((file) => read(file).includes(old))).toEqual([])
  })
})

function isSection(number: string): boolean {
  return sections.some((section) => section.number === number)
}
