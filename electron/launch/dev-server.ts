/**
 * The server of `npm run dev`, with the configuration of electron-vite. Arguments: the folder for the bundles, then the
 * command line of the app. The server of electron-vite is not used: it starts the next app before the previous one has
 * ended, so the next app would find the data folder locked and exit.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveConfig } from 'electron-vite'
import { build, type InlineConfig } from 'vite'
import { servePage } from './page-server.ts'

/**
 * Maximum time that the app may take to end, in milliseconds. If the app takes longer, for example because it asks
 * about unsaved changes, it is killed.
 */
const endLimitMs = 3000

const [folder = '', program = '', ...appArguments] = process.argv.slice(2)

/** The running app. There is at most one. */
class App {
  readonly #environment: NodeJS.ProcessEnv
  #child: ChildProcess | null = null
  /**
   * Resolves when all starts and ends of the app that were requested so far have finished. The next start or end waits
   * for this promise, because they must run one after another.
   */
  #turn: Promise<void> = Promise.resolve()

  constructor(pageAddress: string) {
    this.#environment = { ...process.env, ELECTRON_RENDERER_URL: pageAddress }
  }

  /** Starts or restarts the app. The server ends when the developer closes the app, but not when the app crashes. */
  restart(): void {
    this.#turn = this.#turn.then(async () => {
      await this.#end()
      const child = spawn(program, appArguments, { stdio: 'inherit', env: this.#environment })
      this.#child = child
      child.once('error', (error) => void leave(1, error.message))
      child.once('exit', (code, signal) => {
        if (this.#child !== child) return
        if (code === 0) void leave(0)
        else
          console.error(
            `The app ended (${signal ?? code}); it starts again at the next change of its sources.`,
          )
      })
    })
  }

  async stop(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#end())
    await this.#turn
  }

  async #end(): Promise<void> {
    const child = this.#child
    this.#child = null
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    const timer = setTimeout(() => child.kill('SIGKILL'), endLimitMs)
    child.kill('SIGTERM')
    await ended
    clearTimeout(timer)
  }
}

/**
 * Returns a hash of the code that a build of `npm run dev` wrote. Source maps are left out, because they change with
 * every source.
 */
function codeHash(name: string): string {
  const hash = createHash('sha256')
  const files = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
  for (const file of files.filter((path) => /\.c?js$/.test(path)).sort())
    hash.update(file).update(readFileSync(join(folder, name, file)))
  return hash.digest('hex')
}

/**
 * Builds a bundle at every change of its sources. Calls `onBuilt` after each successful build that changed the code of
 * the bundle. A change of a source may leave the code unchanged: for example, a changed message changes the code of
 * main only if main uses this message.
 */
async function keepBuilt(name: string, config: InlineConfig, onBuilt: () => void): Promise<void> {
  const watcher = await build(config)
  if (!('on' in watcher)) throw new Error(`${name} is not watched`)
  let hasFailed = false
  let lastHash = ''
  watcher.on('event', (event) => {
    if (event.code === 'START') hasFailed = false
    if (event.code === 'BUNDLE_END') void event.result.close()
    if (event.code === 'ERROR') {
      hasFailed = true
      console.error(`${name} does not build, see above.`)
    }
    if (event.code !== 'END' || hasFailed) return
    const hash = codeHash(name)
    if (hash !== lastHash) onBuilt()
    lastHash = hash
  })
}

/** Creates the folder of an app with separate bundles, so that the bundles of tests and `npm start` stay unchanged. */
function prepareFolder(): void {
  const { name, productName, version } = JSON.parse(readFileSync('package.json', 'utf8')) as Record<
    string,
    string
  >
  mkdirSync(folder, { recursive: true })
  for (const part of ['main', 'preload']) rmSync(join(folder, part), { recursive: true, force: true })
  const manifest = { name, productName, version, type: 'module', main: 'main/main.js' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
}

prepareFolder()
// keeps the files of the folder, because a build after a change writes only changed files
const output = { outDir: folder, emptyOutDir: false, sourcemap: true, watch: {} }
const inline = { logLevel: 'warn', build: output } as const
const { config } = await resolveConfig(inline, 'serve', 'development')
const { main, preload, renderer } = config ?? {}
if (!main || !preload || !renderer) throw new Error('electron.vite.config.ts lacks a part')
const server = await servePage(renderer)
const app = new App(server.address)

async function leave(code: number, message?: string): Promise<void> {
  if (message !== undefined) console.error(message)
  await app.stop()
  await server.close()
  process.exit(code)
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void leave(0))

console.log(
  `The page comes from ${server.address} and follows each change in src; a change in electron starts the app again.`,
)
console.log('F12 opens the developer tools. Ctrl-C ends.')
const missing = new Set(['main', 'preload'])
for (const [name, part] of Object.entries({ main, preload })) {
  await keepBuilt(name, part, () => {
    if (missing.size === 0) console.log(`${name} is built again; the app starts again.`)
    missing.delete(name)
    if (missing.size === 0) app.restart()
  })
}
