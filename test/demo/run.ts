import { mkdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { _electron, type ElectronApplication, type Page } from 'playwright'
import { launchEnvironment } from '#support/app.ts'
import { connectEmbedded } from '#support/service-client.ts'
import { bookModification, lookUpArticle, printLabel, signIn } from './steps.ts'

/**
 * `npm run demo`: does the main work of an operator in the running app, by key events of a scanner alone. The last line
 * of the output is the result as JSON.
 */
const repo = resolve(import.meta.dirname, '../..')
const folder = join(repo, 'out/demo')
const dataDir = join(folder, 'data')

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })

const startedAt = performance.now()
const app = await _electron.launch({
  args: ['.', `--data-dir=${dataDir}`, '--lang=en'],
  cwd: repo,
  env: launchEnvironment,
})
try {
  const report = await play(app)
  // Writes the whole line at once, so that no output of the app comes between its parts.
  process.stdout.write(`${JSON.stringify(report)}\n`)
} finally {
  await app.close()
}

async function play(running: ElectronApplication): Promise<object> {
  const page = await running.firstWindow()
  await page.locator('html[data-screen="login"]').waitFor()
  const launchToReady = Math.round(performance.now() - startedAt)
  const pointerEvents = await watchPointer(page)
  const service = await connectEmbedded(dataDir)
  const screenshots: string[] = []
  const stage = {
    page,
    service,
    dataDir,
    shot: async (name: string) => {
      const path = join(folder, `${String(screenshots.length + 1)}-${name}.png`)
      await page.screenshot({ path })
      screenshots.push(path)
    },
  }
  await signIn(stage)
  const { label, scanToCard, scanToPrinted } = await printLabel(stage)
  const { article, batches } = await lookUpArticle(stage)
  const modification = await bookModification(stage, article)
  const seen = await pointerEvents()
  if (seen.length > 0) throw new Error(`the demo made pointer events: ${seen.join(', ')}`)
  const ms = { launchToReady, scanToCard, scanToPrinted }
  // the printer of a new desk is the label folder, so no paper was printed
  return { label, modification, batches, screenshots, printedTo: 'label folder', ms }
}

/**
 * Notes every press and movement of a mouse, finger or pen, and every turn of a wheel, from now on. Returns a function
 * that returns the names of the noted events.
 */
async function watchPointer(page: Page): Promise<() => Promise<string[]>> {
  const watch = await page.evaluateHandle(() => {
    const seen: string[] = []
    for (const type of ['pointerdown', 'mousedown', 'touchstart', 'wheel', 'pointermove'])
      window.addEventListener(type, () => seen.push(type), { capture: true })
    return seen
  })
  return () => watch.jsonValue()
}
