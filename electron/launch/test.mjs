import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.mjs'
import { check } from './check.mjs'
import { chooseEngine } from './engine.mjs'
import { ensurePrograms } from './packages.mjs'
import { explain, say, Stop } from './report.mjs'
import { projectNode, root, run } from './run.mjs'

const results = join(root, 'out/test')

/** `npm test` and `npm run test:long`: the checks, then every test; the last line counts them all. */
export async function test({ long }) {
  rmSync(results, { recursive: true, force: true })
  mkdirSync(results, { recursive: true })
  // strace records what the desk does to its files, so that power cuts can be replayed; there is none elsewhere
  // and socat makes the serial ports that scanners are tested on
  const onLinux = process.platform === 'linux' ? ['strace', 'socat'] : []
  await ensurePrograms(['chromium', 'zbarimg', 'pdftoppm', ...onLinux])
  const engine = await chooseEngine({ download: false })
  say(`e2e engine: ${engine.name}`)
  await build()
  const env = long ? { SCANDESK_LONG: '1' } : {}
  const counts = [await countChecks(), await countVitest(env), await countPlaywright(env)]
  // once more, at services that answer as oddly as they may
  if (long) counts.push(await countPlaywright({ ...env, SCANDESK_QUIRKS: '1' }))
  const passed = counts.reduce((sum, c) => sum + c.passed, 0)
  const failed = counts.reduce((sum, c) => sum + c.failed, 0)
  const skipped = counts.reduce((sum, c) => sum + c.skipped, 0)
  if (skipped > 0) say(`${skipped} skipped`)
  const line = `${passed} passed, ${failed} failed`
  writeFileSync(join(results, 'summary.txt'), `${line}\n`)
  say(line)
  if (failed > 0) throw new Stop('')
}

async function countChecks() {
  try {
    return { passed: await check(), failed: 0, skipped: 0 }
  } catch (error) {
    explain(error)
    return { passed: 0, failed: 1, skipped: 0 }
  }
}

async function countVitest(env) {
  const { code } = await run(projectNode(), [join(root, 'node_modules/vitest/vitest.mjs'), 'run'], { env })
  const report = readReport('vitest.json')
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const failed = report.numFailedTests + (code !== 0 && report.numFailedTests === 0 ? 1 : 0)
  return { passed: report.numPassedTests, failed, skipped: report.numPendingTests + report.numTodoTests }
}

async function countPlaywright(env) {
  const { code } = await run(projectNode(), [join(root, 'node_modules/@playwright/test/cli.js'), 'test'], {
    env,
  })
  const report = readReport('e2e.json')
  if (!report) return { passed: 0, failed: 1, skipped: 0 }
  const { expected, unexpected, flaky, skipped } = report.stats
  return {
    passed: expected,
    failed: unexpected + flaky + (code !== 0 && unexpected + flaky === 0 ? 1 : 0),
    skipped,
  }
}

function readReport(name) {
  const file = join(results, name)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}
