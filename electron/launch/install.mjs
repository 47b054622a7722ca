import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withBuildLock } from './build-lock.mjs'
import { say, Stop } from './report.mjs'
import { root, run } from './run.mjs'

const lockfile = join(root, 'package-lock.json')
/** npm writes the list of installed packages into this file. */
const installedList = join(root, 'node_modules/.package-lock.json')
const stamp = join(root, 'node_modules/.cache/scandesk/installed')

/**
 * Installs the packages of the lockfile, unless they are installed already. A stamp file contains the hash of the
 * installed lockfile.
 */
export async function ensureInstalled() {
  if (!isInstalled(lockfileHash())) await withBuildLock(install)
}

function lockfileHash() {
  const text = readFileSync(lockfile)
  return createHash('sha256').update(text).digest('hex')
}

function isInstalled(wanted) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
}

async function install() {
  const wanted = lockfileHash()
  // another launcher may have installed the packages during the wait for the lock
  if (isInstalled(wanted)) return
  say('Installing packages (about half a minute) …')
  const locked = packagesIn(lockfile)
  // uses `npm ci` only if the lockfile is complete: `npm ci` refuses a lockfile that lacks optional binaries of a
  // platform
  const how = missingOptionals(locked).length === 0 ? ['ci'] : ['install', '--no-save']
  // does not run the scripts of packages. The first start that needs Electron downloads its binary, so that a failed
  // download never makes an install fail
  const { code, output } = await npm([
    ...how,
    '--ignore-scripts',
    '--no-fund',
    '--no-audit',
    '--loglevel=error',
  ])
  if (code !== 0) throw new Stop(`npm ${how[0]} failed:\n${output}`)
  refuseStrangers(locked)
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}

/** Returns the packages of a lockfile by their folder; no packages if the file does not exist. */
function packagesIn(file) {
  if (!existsSync(file)) return {}
  const { packages = {} } = JSON.parse(readFileSync(file, 'utf8'))
  return packages
}

/** Returns, as `name@version`, the optional dependencies of the given packages that Node would not find among them. */
function missingOptionals(packages) {
  return Object.entries(packages).flatMap(([folder, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isFoundFrom(folder, name, packages))
      .map(([name, version]) => `${name}@${version}`),
  )
}

/**
 * Returns whether Node would find a package from `folder`: in the node_modules of that folder or of one of its parent
 * folders.
 */
function isFoundFrom(folder, name, packages) {
  const folders = folder.split(/\/?node_modules\//).map((_, depth, parts) => {
    return parts.slice(1, depth + 1).map((part) => `node_modules/${part}/`)
  })
  return folders.some((parents) => `${parents.join('')}node_modules/${name}` in packages)
}

/**
 * Stops if npm has installed a package that the lockfile does not contain with the same version and checksum. `npm
 * install` reports no error if the versions in package.json differ from the lockfile. Additional packages are allowed
 * only for binaries of this platform, in the exact version that a package of the lockfile names.
 */
function refuseStrangers(locked) {
  const optional = missingOptionals(locked)
  const strangers = Object.entries(packagesIn(installedList)).filter(([folder, { version, integrity }]) => {
    const known = locked[folder]
    if (known) return known.version !== version || known.integrity !== integrity
    return !optional.includes(`${folder.split('node_modules/').at(-1)}@${version}`)
  })
  if (strangers.length === 0) return
  const names = strangers.map(([folder, { version }]) => `  ${folder} ${version}`)
  throw new Stop(
    `npm installed packages that package-lock.json does not contain. Delete node_modules, compare both files and try again:\n${names.join('\n')}`,
  )
}

function npm(args) {
  const own = process.env.npm_execpath
  if (own?.endsWith('.js')) return run(process.execPath, [own, ...args], { quiet: true })
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
    quiet: true,
    shell: process.platform === 'win32',
  })
}
