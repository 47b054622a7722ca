import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { alone } from './alone.mjs'
import { say, Stop } from './report.mjs'
import { root, run } from './run.mjs'

const stamp = join(root, 'node_modules/.cache/scandesk/installed')

/** Installs what the lockfile names, once: a stamp holds the lockfile's hash. */
export async function ensureInstalled() {
  if (!isInstalled(lockfileHash())) await alone(install)
}

function lockfileHash() {
  const text = readFileSync(join(root, 'package-lock.json'))
  return createHash('sha256').update(text).digest('hex')
}

function isInstalled(wanted) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
}

async function install() {
  const wanted = lockfileHash()
  // somebody else's install may have been what was waited for
  if (isInstalled(wanted)) return
  say('Installing packages (about half a minute) …')
  // not `npm ci`: it refuses a lockfile without the optional binaries of platforms that a registry does not mirror
  // Electron's binary is fetched when a start wants it, so that an unreachable download never fails an install
  const { code, output } = await npm(['install', '--no-save', '--no-fund', '--no-audit', '--loglevel=error'])
  if (code !== 0) throw new Stop(`npm install failed:\n${output}`)
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}

function npm(args) {
  const own = process.env.npm_execpath
  if (own?.endsWith('.js')) return run(process.execPath, [own, ...args], { quiet: true })
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
    quiet: true,
    shell: process.platform === 'win32',
  })
}
