import type { Page } from '@playwright/test'
import { scan } from './scan.ts'

/**
 * From the last key before the scanner's Enter (which the desk swallows) to the frame that shows what was asked for,
 * both by the page's own clock. All keys of a scan are sent at once, so the two keys arrive together.
 */
export async function fromScanTo(page: Page, text: string, selector: string): Promise<number> {
  // installed before the first key is sent; the handle holds the promise, not its value
  const watch = await page.evaluateHandle((wanted) => {
    let lastKeyAt = Number.NaN
    const onKey = (): void => {
      lastKeyAt = performance.now()
    }
    window.addEventListener('keydown', onKey, { capture: true })
    const shown = new Promise<number>((done) => {
      const look = (): void => {
        if (Number.isNaN(lastKeyAt) || !document.querySelector(wanted)) requestAnimationFrame(look)
        else done(performance.now() - lastKeyAt)
      }
      look()
    })
    return { shown: shown.finally(() => window.removeEventListener('keydown', onKey, { capture: true })) }
  }, selector)
  await scan(page, text)
  return watch.evaluate(({ shown }) => shown)
}
