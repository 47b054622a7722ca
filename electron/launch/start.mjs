import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { electronArguments } from './app-options.mjs'
import { build } from './build.mjs'
import { chooseEngine, hasDisplay, isRoot, sayEngine } from './engine.mjs'
import { say, Stop } from './report.mjs'
import { root, run } from './run.mjs'

/**
 * Opens the desk and returns when it closes; `options` are passed to the app (`--data-dir DIR --lang nl --server URL`).
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
