import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { electronArguments } from './app-options.mjs'
import { compileMessages } from './build.mjs'
import { chooseEngine, hasDisplay, isRoot, sayEngine } from './engine.mjs'
import { say } from './report.mjs'
import { root, runModule } from './run.mjs'

const folder = join(root, 'out/dev')

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
  const given = { 'data-dir': join(folder, 'data'), ...options }
  mkdirSync(given['data-dir'], { recursive: true, mode: 0o700 })
  await runModule('electron/launch/dev-server.ts', [
    folder,
    engine.program,
    ...electronArguments(folder, given, { isRoot: isRoot() }),
  ])
}
