import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { electronArguments } from './app-options.mjs'
import { build, compileMessages } from './build.mjs'
import { chooseEngine, hasDisplay, isRoot, sayEngine } from './engine.mjs'
import { ensurePrograms } from './packages.mjs'
import { say, Stop } from './report.mjs'
import { root, run, runModule } from './run.mjs'

/**
 * `npm start`: opens the desk and returns when it closes; `options` are passed to the app
 * (`--data-dir DIR --lang nl --server URL`).
 */
export async function start(options) {
  const engine = await chooseEngine()
  await build()
  sayEngine(engine)
  const given = { ...options }
  if (!hasDisplay()) {
    say('No display: the desk runs headless until Ctrl-C. A screenshot follows when it is ready.')
    mkdirSync(join(root, 'out'), { recursive: true })
    given.screenshot ??= join(root, 'out/ready.png')
  }
  const { code } = await run(engine.program, electronArguments(root, given, { isRoot: isRoot() }))
  if (code !== 0) throw new Stop('', code)
}

const devFolder = join(root, 'out/dev')

/**
 * `npm run dev`: runs the desk on the embedded sandbox, with its own bundles and data (out/dev), until the window
 * closes or Ctrl-C is pressed. `options` are passed to the app, as with `npm start`.
 */
export async function dev(options) {
  const engine = await chooseEngine()
  sayEngine(engine)
  if (!hasDisplay())
    say('No display: the desk runs headless. Use --remote-debugging-port=9222 to inspect it in a browser.')
  await compileMessages()
  const given = { 'data-dir': join(devFolder, 'data'), ...options }
  mkdirSync(given['data-dir'], { recursive: true, mode: 0o700 })
  await runModule('electron/launch/dev-server.ts', [
    devFolder,
    engine.program,
    ...electronArguments(devFolder, given, { isRoot: isRoot() }),
  ])
}

/** `npm run demo`: opens the desk like `npm start` and performs the main task with scanner events. */
export async function demo() {
  const engine = await chooseEngine()
  await ensurePrograms(['zbarimg', 'pdftoppm'])
  await build()
  say(`demo engine: ${engine.name}`)
  await runModule(
    'test/demo/run.ts',
    [],
    engine.name === 'stand-in' ? { env: { E2E_ENGINE: 'stand-in' } } : {},
  )
}
