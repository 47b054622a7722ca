import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { say, Stop } from './report.mjs'
import { run } from './run.mjs'

const chromiumNames = ['chromium', 'google-chrome', 'google-chrome-stable', 'chromium-browser']
const macChromium = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'

/** Debian packages of each program that is needed to start the app or to run the tests. */
const packagesOf = {
  chromium: ['chromium', 'fonts-dejavu-core'],
  zbarimg: ['zbar-tools'],
  pdftoppm: ['poppler-utils'],
  strace: ['strace'],
  socat: ['socat'],
}

function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file)) ?? null
}

/**
 * Returns the path of the Chromium on which the stand-in for Electron runs the desk: the file that `STANDIN_CHROMIUM`
 * names, otherwise the first Chromium or Chrome on the PATH, otherwise Chrome on macOS; null if there is none.
 */
export function findChromium() {
  const named = process.env.STANDIN_CHROMIUM
  if (named && existsSync(named)) return named
  const found = chromiumNames.map(onPath).find((file) => file !== null)
  return found ?? (existsSync(macChromium) ? macChromium : null)
}

/**
 * Checks that the programs are installed. If a program is missing, and this process runs as root on Debian or Ubuntu,
 * prints one line and installs the program's system packages. If a program is missing in any other case, stops with the
 * exact command that installs the packages.
 */
export async function ensurePrograms(names) {
  const missing = names.filter((name) => (name === 'chromium' ? findChromium() : onPath(name)) === null)
  if (missing.length === 0) return
  const packages = missing.flatMap((name) => packagesOf[name])
  const isRoot = process.getuid?.() === 0
  if (!isRoot || !onPath('apt-get')) {
    const how = onPath('apt-get')
      ? `Install with:\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages.join(' ')}`
      : 'Install them and try again (Chromium or Google Chrome; STANDIN_CHROMIUM can contain its path).'
    throw new Stop(`Missing on this machine: ${missing.join(', ')}. ${how}`)
  }
  say(`Installing ${packages.join(', ')} with apt-get (once) …`)
  const env = { DEBIAN_FRONTEND: 'noninteractive' }
  const update = await run('apt-get', ['update', '-qq'], { env, quiet: true })
  const install = await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], {
    env,
    quiet: true,
  })
  if (install.code !== 0) throw new Stop(`apt-get failed:\n${update.output}\n${install.output}`)
}
