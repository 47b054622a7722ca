import { existsSync, readdirSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { Stop } from './report.mjs'
import { root } from './run.mjs'

const vitestFile = /^test\/(?:unit|integration|contract|faults)\/.+\.test\.ts$/
const unitFile = /^test\/unit\//
const playwrightFile = /^test\/e2e\/[^/]+\.spec\.ts$/

/**
 * Finds the test files of paths. Each path is a file or a folder, relative to the folder of the npm call or to the
 * checkout. Stops at a path without tests, because an empty run would look like a success.
 *
 * @returns {{ vitest: string[], playwright: string[], areUnit: boolean }} paths from the checkout, with slashes
 */
export function findTests(paths) {
  const files = new Set(paths.flatMap(filesAt))
  const vitest = [...files].filter((file) => vitestFile.test(file))
  const playwright = [...files].filter((file) => playwrightFile.test(file))
  return {
    vitest,
    playwright,
    areUnit: playwright.length === 0 && vitest.every((file) => unitFile.test(file)),
  }
}

function filesAt(path) {
  const full = [process.env.INIT_CWD ?? root, root]
    .map((folder) => resolve(folder, path))
    .find((candidate) => existsSync(candidate))
  const tests = full === undefined ? [] : allTests().filter((file) => isWithin(full, join(root, file)))
  if (tests.length > 0) return tests
  const why = full === undefined ? 'the path does not exist' : 'it contains no test'
  throw new Stop(
    `No test matches ${path}: ${why}. Name a .test.ts file of test/unit, test/integration, test/contract or ` +
      'test/faults, a .spec.ts file of test/e2e, or a folder of them.',
  )
}

function allTests() {
  return readdirSync(join(root, 'test'), { recursive: true })
    .map((name) => `test/${name.split(sep).join('/')}`)
    .filter((file) => vitestFile.test(file) || playwrightFile.test(file))
}

const isWithin = (folder, file) => file === folder || file.startsWith(`${folder}${sep}`)
