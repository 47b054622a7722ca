import { rmSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { z } from 'zod'
import { modification } from '#shared/wire/modification.ts'
import { variant } from '#shared/wire/variant.ts'
import { commandText, scan, scanCommand } from '#support/scan.ts'
import { connectEmbedded } from '#support/service-client.ts'
import { catalogueAtRest, launchDesk, readyPage } from './app-under-bench.ts'
import { workFolder } from './bulk-file.ts'
import { printFigure } from './figure.ts'
import { say } from './progress.ts'
import { byHand } from '#support/keyboard.ts'

const bookings = 120
const clicks = 15

interface Subject {
  readonly variantId: string
  readonly articleCode: string
  readonly locationId: string
  readonly locationCode: string
}

/**
 * Measures a booking in the app: the time from the call to its durable result, and the time from the click to the
 * screen that shows the booking.
 */
export async function benchBooking(): Promise<void> {
  const dataDir = workFolder('booking')
  const app = await launchDesk(dataDir)
  try {
    const page = await readyPage(app)
    await page.keyboard.press('Enter', byHand)
    await page.locator('html[data-screen="stage"]').waitFor()
    await catalogueAtRest(page)
    const subject = await someSubject(page, dataDir)
    say(`booking ${bookings} modifications in the app …`)
    const { answers, empty } = await timeBookings(page, subject)
    const peer = { name: 'an empty call over the bridge, after each', values: empty }
    printFigure({ name: 'booking: call over the bridge to durable answer', values: answers }, peer)
    printFigure(
      { name: 'booking: click to the screen that says it is kept', values: await timeClicks(page, subject) },
      peer,
    )
  } finally {
    await app.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Returns an article and a location of the sandbox. Imports the code of the location into the desk. */
async function someSubject(page: Page, dataDir: string): Promise<Subject> {
  const service = await connectEmbedded(dataDir)
  const [article] = await service.read('/wms/variants/?limit=1', z.array(variant))
  const [booked] = await service.read('/wms/modifications/?limit=1', z.array(modification))
  const whole = await service.read(`/wms/modifications/${booked?.id ?? ''}/`, modification)
  const location = whole.modification_lines?.[0]?.location
  if (!article || !location?.code) throw new Error('the sandbox has too little to book')
  await page.evaluate(
    (text) => window.scandesk.location.import({ text }),
    `${location.code},${location.id}\n`,
  )
  return {
    variantId: article.id,
    articleCode: article.article_code,
    locationId: location.id,
    locationCode: location.code,
  }
}

async function timeBookings(page: Page, subject: Subject): Promise<{ answers: number[]; empty: number[] }> {
  const answers: number[] = []
  const empty: number[] = []
  for (let turn = 0; turn < bookings; turn++) {
    await putTogether(page, subject)
    const [answered, idle] = await page.evaluate(async () => {
      const startedAt = performance.now()
      const booked = await window.scandesk.modification.book()
      const answeredAt = performance.now()
      if (!booked.ok) throw new Error(booked.error.code)
      await window.scandesk.app.info()
      return [answeredAt - startedAt, performance.now() - answeredAt] as const
    })
    answers.push(answered)
    empty.push(idle)
  }
  return { answers, empty }
}

/**
 * Measures bookings whose draft is scanned: the milliseconds from the click on the button that books to the changed
 * screen, by the clock of the page.
 */
async function timeClicks(page: Page, { articleCode, locationCode }: Subject): Promise<number[]> {
  const times: number[] = []
  await scanCommand(page, 'BOOK')
  await page.locator('html[data-place="modification"]').waitFor()
  for (let turn = 0; turn < clicks; turn++) {
    for (const code of [await commandText(page, 'LOST'), locationCode, articleCode]) await scan(page, code)
    await page.locator('[data-phase="ready"]').waitFor()
    times.push(
      await page.evaluate(
        () =>
          new Promise<number>((done, failed) => {
            const button = document.querySelector<HTMLElement>('[data-phase="ready"] button')
            if (!button) {
              failed(new Error('there is nothing to click'))
              return
            }
            const startedAt = performance.now()
            const look = (): void => {
              if (document.querySelector('[data-modification="draft"]')) requestAnimationFrame(look)
              else done(performance.now() - startedAt)
            }
            button.click()
            look()
          }),
      ),
    )
  }
  return times
}

/** Prepares a complete draft of a booking: one lost piece of an article. */
async function putTogether(page: Page, subject: Subject): Promise<void> {
  await page.evaluate(async ({ variantId, locationId }) => {
    const changes = [
      { kind: 'clear' },
      { kind: 'reason', reason: 'LOST' },
      { kind: 'location', locationId },
      { kind: 'add', variantId },
    ] as const
    for (const change of changes) {
      const changed = await window.scandesk.modification.change(change)
      if (!changed.ok) throw new Error(changed.error.code)
    }
  }, subject)
}
