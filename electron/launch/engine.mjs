import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ensurePrograms } from './packages.mjs'
import { say } from './report.mjs'
import { projectNode, root, run } from './run.mjs'

const electronFolder = join(root, 'node_modules/electron')
const unreachable = join(root, 'node_modules/.cache/scandesk/electron-unreachable')
/** Electron's download has a hundred megabytes. */
const downloadTimeoutMs = 180_000

/** Returns Electron's own binary if it has been downloaded; otherwise null. */
function electronBinary() {
  const pathFile = join(electronFolder, 'path.txt')
  if (!existsSync(pathFile)) return null
  const file = join(electronFolder, 'dist', readFileSync(pathFile, 'utf8'))
  return existsSync(file) ? file : null
}

/** Tries the download once for each Electron version; delete node_modules/.cache/scandesk to try again. */
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
  // a timeout: a slow connection may be faster the next time
  if (signal) return
  mkdirSync(dirname(unreachable), { recursive: true })
  writeFileSync(unreachable, version)
}

/** Whether windows can be shown here. */
export function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY ?? process.env.WAYLAND_DISPLAY)
}

/**
 * Chooses the program that runs the desk: Electron if its binary can be downloaded and there is a display, otherwise
 * the stand-in on Chromium. `program` accepts Electron's command line.
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

/** Returns why Electron cannot run here even after a download, or null. */
function whyNotElectron() {
  if (process.env.SCANDESK_ENGINE === 'stand-in') return 'SCANDESK_ENGINE selects the stand-in'
  return hasDisplay() ? null : 'there is no display'
}

/** Whether this is root on Unix, as which Chromium's sandbox refuses to run. */
export function isRoot() {
  return process.getuid?.() === 0
}

/** Prints one line if the engine is not the one of an installed app. */
export function sayEngine({ name, why }) {
  if (name === 'stand-in')
    say(`Without Electron (${why}) the desk runs on Chromium through the stand-in, test/electron-stand-in.`)
  else if (isRoot()) say('As root Electron runs with --no-sandbox, because its sandbox refuses that account.')
}
