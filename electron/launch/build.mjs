import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withBuildLock } from './build-lock.mjs'
import { say, Stop } from './report.mjs'
import { projectNode, root, run } from './run.mjs'

const stamp = join(root, 'out/.built')
const messageStamp = join(root, 'out/.messages')
/**
 * The folder of the message project. Only its settings count as a source, because the compiler of the messages writes
 * the other files of this folder at each run.
 */
const messageProject = 'resources/i18n/project.inlang'
const messageSettings = `${messageProject}/settings.json`
const messageSources = [
  'resources/i18n/messages',
  messageSettings,
  'electron/launch/build.mjs',
  'package-lock.json',
]
const sources = [
  'electron',
  'src',
  'resources',
  ...messageSources,
  'electron.vite.config.ts',
  'svelte.config.js',
]

/**
 * Builds the three bundles (main, preload and page), unless their sources are unchanged since the last build. With
 * `force`, always builds them.
 */
export function build({ force = false } = {}) {
  return withBuildLock(() => buildNow(force))
}

async function buildNow(force) {
  const wanted = fingerprint(sources)
  if (!force && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  say('Building …')
  // Removes the stamp, the file that marks a complete build, because the bundler first empties its output folders. With
  // the stamp of the previous build, an interrupted build would count as complete.
  rmSync(stamp, { force: true })
  await compileMessages()
  const { code, output } = await run(
    projectNode(),
    [join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'build', '--logLevel', 'warn'],
    { quiet: true },
  )
  if (code !== 0) throw new Stop(`the build failed:\n${output}`)
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, wanted)
}

/**
 * Compiles the message catalogue into src/messages, unless the catalogue is unchanged. Uses the command of the compiler
 * and not its plugin for the bundler, because the plugin keeps the build running for half a minute after its work.
 */
export async function compileMessages() {
  const wanted = fingerprint(messageSources)
  const isCompiled = existsSync(join(root, 'src/messages/messages.js'))
  if (isCompiled && existsSync(messageStamp) && readFileSync(messageStamp, 'utf8') === wanted) return
  const { code, output } = await run(
    projectNode(),
    [
      join(root, 'node_modules/@inlang/paraglide-js/bin/run.js'),
      'compile',
      '--project=./resources/i18n/project.inlang',
      '--outdir=./src/messages',
      '--strategy',
      'globalVariable',
      'baseLocale',
      // writes one file for each language: with one file for each message, a page in development would need 1,600
      // requests, and a test would load 1,600 modules
      '--output-structure',
      'locale-modules',
    ],
    { quiet: true },
  )
  if (code !== 0) throw new Stop(`the messages do not compile:\n${output}`)
  mkdirSync(dirname(messageStamp), { recursive: true })
  writeFileSync(messageStamp, wanted)
}

/**
 * Returns a hash of the names, sizes and times of the sources, which is fast to compute. A change of a file also
 * changes the file's time, and therefore the hash.
 */
function fingerprint(paths) {
  const hash = createHash('sha256')
  const add = (path) => {
    const full = join(root, path)
    if (!existsSync(full)) return
    // the compiler of the messages writes its settings again, with the same content, at its first run in a clone
    if (path === messageSettings) return void hash.update(readFileSync(full))
    const stat = statSync(full)
    if (!stat.isDirectory()) return void hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\0`)
    if (path === 'src/messages' || path === messageProject) return
    for (const name of readdirSync(full).sort()) add(`${path}/${name}`)
  }
  paths.forEach(add)
  return hash.digest('hex')
}
