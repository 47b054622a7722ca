import { build } from './build.mjs'
import { chooseEngine } from './engine.mjs'
import { ensurePrograms } from './packages.mjs'
import { say } from './report.mjs'
import { runModule } from './run.mjs'

/** `npm run demo`: opens the desk like `npm start` and does the main task by scanner events. */
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
