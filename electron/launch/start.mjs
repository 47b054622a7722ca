import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './build.mjs'
import { chooseEngine, hasDisplay } from './engine.mjs'
import { say, Stop } from './report.mjs'
import { root, run } from './run.mjs'

/** Opens the desk and stays until it closes; `args` go to the app (`--data-dir DIR --lang nl --server URL`). */
export async function start(args) {
  const engine = await chooseEngine()
  await build()
  if (engine.name === 'stand-in') {
    say(
      `Without Electron (${engine.why}) the desk runs on Chromium through the stand-in, test/electron-stand-in.`,
    )
  }
  const appArgs = [...args]
  if (!hasDisplay()) {
    const file = join(root, 'out/ready.png')
    mkdirSync(join(root, 'out'), { recursive: true })
    say('No display: the desk runs headless until Ctrl-C. A screenshot follows when it is ready.')
    appArgs.push(`--screenshot=${file}`)
  }
  const { code } = await run(engine.program, [root, ...appArgs])
  if (code !== 0) throw new Stop('', code)
}
