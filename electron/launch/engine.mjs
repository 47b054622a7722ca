import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ensurePrograms } from './packages.mjs'
import { say } from './report.mjs'
import { projectNode, root, run } from './run.mjs'

const electronFolder = join(root, 'node_modules/electron')
const unreachable = join(root, 'node_modules/.cache/scandesk/electron-unreachable')
/** Timeout for Electron's download (a hundred megabytes), in milliseconds. */
const downloadTimeoutMs = 180_000

/** Returns the path of Electron's binary if it has been downloaded; otherwise null. */
function electronBinary() {
  const pathFile = join(electronFolder, 'path.txt')
  if (!existsSync(pathFile)) return null
  const file = join(electronFolder, 'dist', readFileSync(pathFile, 'utf8'))
  return existsSync(file) ? file : null
}

/**
 * Downloads Electron. After a failure other than a timeout, does not download the same version again until
 * node_modules/.cache/scandesk is deleted.
 */
async function downloadElectron() {
  const version =
    readFileSync(join(electronFolder, 'package.json'), 'utf8').match(/"version": "([^"]+)"/)?.[1] ?? ''
  if (existsSync(unreachable) && readFileSync(unreachable, 'utf8') === version) return
  say(`Downloading Electron ${version} (${downloadTimeoutMs / 1000} s at most) …`)
  const { code, signal } = await run(projectNode(), [join(electronFolder, 'install.js')], {
    quiet: true,
    timeoutMs: downloadTimeoutMs,
  })
  if (code === 0 && electronBinary()) return
  // after a timeout the next start downloads again, because the connection may be faster then
  if (signal) return
  mkdirSync(dirname(unreachable), { recursive: true })
  writeFileSync(unreachable, version)
}

/** Returns whether this computer has a display that can show windows. */
export function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY)
}

/**
 * Chooses the program that runs the desk: Electron if there is a display, `SCANDESK_ENGINE` does not select the
 * stand-in, and Electron's binary exists or can be downloaded (only if `download` is true). Otherwise chooses the
 * stand-in (test/electron-stand-in), and installs the Chromium that it uses. `why` is the reason for the stand-in. Both
 * programs accept Electron's command line.
 */
export async function chooseEngine({ download = true } = {}) {
  const why = whyNotElectron()
  if (why === null) {
    if (!electronBinary() && download) await downloadElectron()
    const program = electronBinary()
    if (program) return { name: 'electron', program, why }
  }
  await ensurePrograms(['chromium'])
  const program = join(root, 'test/electron-stand-in/electron')
  return { name: 'stand-in', program, why: why ?? 'its binary cannot be downloaded here' }
}

/**
 * Returns the reason why Electron must not or cannot run on this computer, even if its binary exists; null: Electron
 * can run.
 */
function whyNotElectron() {
  if (process.env.SCANDESK_ENGINE === 'stand-in') return 'SCANDESK_ENGINE selects the stand-in'
  return hasDisplay() ? null : 'there is no display'
}

/** Returns whether this process runs as root on Unix, where the sandbox of Chromium refuses to run. */
export function isRoot() {
  return process.getuid?.() === 0
}

/**
 * Prints one line if the desk does not run like the installed app: on the stand-in, or as root without Chromium's
 * sandbox.
 */
export function sayEngine({ name, why }) {
  if (name === 'stand-in')
    say(`Without Electron (${why}) the desk runs on Chromium through the stand-in, test/electron-stand-in.`)
  else if (isRoot()) say('As root Electron runs with --no-sandbox, because its sandbox refuses that account.')
}
