import type { Page } from '@playwright/test'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scan } from '#support/scan.ts'
import { useGallery } from '../gallery/use-gallery.ts'

// The real window runs on an in-memory desk in a real browser. A key or a command barcode chooses one of several rows.
const gallery = useGallery()
let page: Page

beforeEach(async () => {
  page = await gallery.newPage()
})

afterEach(async () => {
  await page.close()
})

async function open(scenario: string): Promise<void> {
  await gallery.show(page, scenario)
}

async function card(kind: string): Promise<void> {
  await page.locator(`[data-card="${kind}"]`).waitFor()
}

describe('the card of a shipment with 2,450 lines', () => {
  it('draws 200 lines and 50 serial numbers of a line, and says how many more lines the parcel has', async () => {
    await open('shipment-many-lines')
    const list = page.locator('[aria-labelledby="shipment-lines"]')
    await expect.poll(() => list.locator('li').count()).toBe(201)
    expect(await list.locator('li').last().textContent()).toContain('2250')
    const serials = (await list.locator('.serial').textContent()) ?? ''
    expect(serials.match(/SN-2026-/g)).toHaveLength(50)
    expect(serials).toContain('2950')
  })
})

describe('a scan with several candidates', () => {
  it('opens the candidate whose number is pressed', async () => {
    await open('ambiguous')
    await page.keyboard.press('3', { delay: 90 })
    await card('article')
  })

  it('opens the candidate whose command barcode is scanned', async () => {
    await open('ambiguous')
    await scan(page, 'SDCMDTWO')
    await card('location')
  })

  it('opens the candidate whose number is pressed while the checkbox has the focus', async () => {
    await open('ambiguous')
    await page.getByRole('checkbox').check()
    await page.keyboard.press('4', { delay: 90 })
    await card('modification')
  })

  it('opens no candidate if the next scanned code begins with the number of a candidate', async () => {
    await open('ambiguous')
    await scan(page, '4711-UNKNOWN')
    await card('unknown')
    await page.waitForTimeout(400)
    await card('unknown')
  })

  it.each(['ambiguous', 'ambiguous-booking'])(
    'opens no candidate by a number that was pressed before a serial scanner read the same code again: %s',
    async (scenario) => {
      await open(scenario)
      const question = page.locator('[data-ambiguous]')
      const code = (await question.getAttribute('data-ambiguous')) ?? ''
      await page.keyboard.press('2', { delay: 90 })
      await page.evaluate((detail) => window.dispatchEvent(new CustomEvent('serialscan', { detail })), code)
      await page.waitForTimeout(600)
      expect(await question.count()).toBe(1)
      await page.keyboard.press('2', { delay: 90 })
      await question.waitFor({ state: 'detached' })
    },
  )

  it('chooses no candidate by a digit that is typed into the note of a booking', async () => {
    await open('ambiguous-booking')
    const note = page.getByRole('textbox', { name: 'Note' })
    await note.focus()
    await page.keyboard.press('2', { delay: 90 })
    await page.waitForTimeout(400)
    expect(await note.inputValue()).toBe('2')
    expect(await page.locator('[data-ambiguous]').count()).toBe(1)
    await scan(page, 'SDCMDTWO')
    await page.locator('[data-line="SHP00000000412"][data-pieces="1"]').waitFor()
  })
})

describe('the command NEXT', () => {
  it.each([
    ['list', 'data-entry'],
    ['expiring', 'data-lot'],
  ])('selects the rows of “%s” in turn, and PRIMARY opens the selected row', async (scenario, row) => {
    await open(scenario)
    const rows = page.locator(`[${row}]`)
    await rows.nth(1).waitFor()
    await scan(page, 'SDCMDNEXT')
    await page.locator(`[${row}][aria-current]`).waitFor()
    await scan(page, 'SDCMDNEXT')
    await page.locator(`[${row}][aria-current]:focus`).waitFor()
    const current = page.locator(`[${row}][aria-current]`)
    expect(await current.count()).toBe(1)
    await expect.poll(() => current.getAttribute(row)).toBe(await rows.nth(1).getAttribute(row))
    await scan(page, 'SDCMDPRIMARY')
    await page.locator('html[data-place=stage]').waitFor()
  })
})
