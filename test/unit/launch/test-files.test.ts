import { describe, expect, it } from 'vitest'
import { findTests } from '../../../electron/launch/test-files.mjs'

describe('findTests()', () => {
  it('returns a named vitest file, and reports that it is a unit test', () => {
    const file = 'test/unit/launch/test-files.test.ts'
    expect(findTests([file])).toEqual({ vitest: [file], playwright: [], areUnit: true })
  })

  it('returns e2e specs for Playwright and other tests for vitest', () => {
    expect(findTests(['test/e2e/security.spec.ts', 'test/integration/launcher.test.ts'])).toEqual({
      vitest: ['test/integration/launcher.test.ts'],
      playwright: ['test/e2e/security.spec.ts'],
      areUnit: false,
    })
  })

  it('returns every test of a folder once, even if the folder is named three times', () => {
    const { vitest, playwright } = findTests([
      'test/unit/launch',
      'test/unit/launch/',
      'test/unit/launch/../launch',
    ])
    expect(vitest).toContain('test/unit/launch/arguments.test.ts')
    expect(new Set(vitest).size).toBe(vitest.length)
    expect(playwright).toEqual([])
    expect(findTests(['test/e2e']).vitest).toEqual([])
  })

  it.each([
    ['test/unit/nowhere.test.ts', 'the path does not exist'],
    ['test/gallery', 'it contains no test'],
    ['electron/main/main.ts', 'it contains no test'],
    ['node_modules', 'it contains no test'],
  ])('refuses the path %s and says why: %s', (path, why) => {
    expect(() => findTests(['test/unit/launch', path])).toThrow(`No test matches ${path}: ${why}.`)
  })
})
