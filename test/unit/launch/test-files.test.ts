import { describe, expect, it } from 'vitest'
import { findTests } from '../../../electron/launch/test-files.mjs'

describe('findTests()', () => {
  it('finds a single named vitest file, and reports that only unit tests are needed', () => {
    const file = 'test/unit/launch/test-files.test.ts'
    expect(findTests([file])).toEqual({ vitest: [file], playwright: [], areUnit: true })
  })

  it('distinguishes e2e specs from vitest tests', () => {
    expect(findTests(['test/e2e/security.spec.ts', 'test/integration/launcher.test.ts'])).toEqual({
      vitest: ['test/integration/launcher.test.ts'],
      playwright: ['test/e2e/security.spec.ts'],
      areUnit: false,
    })
  })

  it('finds every test in a folder once, and leaves out other files', () => {
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
  ])('refuses the path %s with a sentence that contains the reason', (path, why) => {
    expect(() => findTests(['test/unit/launch', path])).toThrow(`No test matches ${path}: ${why}.`)
  })
})
