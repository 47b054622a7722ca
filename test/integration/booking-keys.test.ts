import type { Locator, Page } from '@playwright/test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { repeatedReadMs } from '#place/repeated-reads.ts'
import { enterByHand } from '#support/keyboard.ts'
import { scan } from '#support/scan.ts'
import { useGallery } from '../gallery/use-gallery.ts'

// The real window runs on an in-memory desk in a real browser. The booking uses only the scanner and the keyboard.
const gallery = useGallery()
let page: Page

const oats = '8712345678906'
const drink = '8712345678913'

beforeEach(async () => {
  page = await gallery.newPage()
})

afterEach(async () => {
  await page.close()
})

async function open(scenario: string): Promise<void> {
  await gallery.show(page, scenario)
}

function line(articleCode: string): Locator {
  return page.locator(`[data-line="${articleCode}"]`)
}

async function quantity(articleCode: string, wanted: number): Promise<void> {
  await page.locator(`[data-line="${articleCode}"][data-pieces="${String(wanted)}"]`).waitFor()
}

/** Waits as long as an operator needs to lift the scanner after the last typed key. */
async function afterTyping(): Promise<void> {
  await page.waitForTimeout(500)
}

describe('a barcode in a booking', () => {
  it('adds one piece to the line of its article if it is scanned into the quantity field of this line', async () => {
    await open('booking')
    const field = line('BAR-HZ-12').getByRole('textbox')
    await field.focus()
    await scan(page, oats)
    await quantity('BAR-HZ-12', -3)
    expect(await field.inputValue()).toBe('−3')
  })

  it('does not change the quantity that an operator is typing into another line', async () => {
    await open('booking')
    const field = line('BAR-HZ-12').getByRole('textbox')
    await field.fill('7')
    await scan(page, drink)
    await quantity('ISO-LE-500', -13)
    expect(await field.inputValue()).toBe('7')
    // Directly after a scan, an Enter counts as a second terminator of the scanner, because no operator presses Enter
    // so soon.
    await page.waitForTimeout(200)
    await enterByHand(page, field)
    await quantity('BAR-HZ-12', -7)
  })

  it.each(['96385074', '01420', '142'])(
    'changes no quantity if it is the short unknown code %s, scanned while a quantity field has the focus',
    async (code) => {
      await open('booking')
      const field = line('BAR-HZ-12').getByRole('textbox')
      await field.focus()
      await scan(page, code)
      await page.locator('[data-echo="unknown"]').waitFor()
      await field.press('Tab')
      await quantity('BAR-HZ-12', -2)
    },
  )

  it('is refused if it is typed by hand into a quantity field, and Escape drops it', async () => {
    await open('booking')
    const field = line('BAR-HZ-12').getByRole('textbox')
    await field.fill(oats)
    await field.press('Tab')
    await page.locator('[data-echo="typed_waits"]').waitFor()
    await quantity('BAR-HZ-12', -2)
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    await field.press('Escape')
    expect(await field.inputValue()).toBe('−2')
    expect(await page.locator('html').getAttribute('data-place')).toBe('modification')
  })

  it('or another text that is no quantity is removed from a quantity field by Escape, even after Enter was pressed in the field', async () => {
    await open('booking')
    const field = line('BAR-HZ-12').getByRole('textbox')
    await field.fill('7x')
    await enterByHand(page, field)
    await page.locator('[data-echo="typed_waits"]').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('[data-echo="typed_cleared"]').waitFor()
    expect(await field.inputValue()).toBe('−2')
    expect(await page.locator('html').getAttribute('data-place')).toBe('modification')
    await page.keyboard.press('Escape')
    await page.locator('html[data-place=stage]').waitFor()
  })
})

describe('a command that is scanned into a field of a booking', () => {
  it('books the number that was typed into the field, without Enter', async () => {
    await open('booking')
    await line('BAR-HZ-12').getByRole('textbox').fill('7')
    await afterTyping()
    await scan(page, 'SDCMDPRIMARY')
    await page.locator('[data-phase="working"]').filter({ hasText: '3 lines, −20 pieces' }).waitFor()
  })

  it('books nothing while the text is no number, also if the button is clicked', async () => {
    await open('booking')
    const field = line('BAR-HZ-12').getByRole('textbox')
    await field.fill('7x')
    await afterTyping()
    await scan(page, 'SDCMDPRIMARY')
    await page.locator('[data-echo="typed_waits"]').waitFor()
    await page.getByRole('button', { name: 'Book it' }).click()
    await page.waitForTimeout(300)
    await page.locator('[data-phase="ready"]').waitFor()
    expect(await field.inputValue()).toBe('7x')
    await scan(page, 'SDCMDCLEAR')
    await page.locator('[data-echo="typed_cleared"]').waitFor()
    expect(await field.inputValue()).toBe('−2')
    await scan(page, 'SDCMDPRIMARY')
    await page.locator('[data-phase="working"]').filter({ hasText: '3 lines, −15 pieces' }).waitFor()
  })

  it('opens another place, and the field still has its text when the booking is opened again', async () => {
    await open('booking')
    const field = line('BAR-HZ-12').getByRole('textbox')
    await field.fill('7')
    await afterTyping()
    await scan(page, 'SDCMDHOME')
    await page.locator('html[data-place=stage]').waitFor()
    await scan(page, 'SDCMDBOOK')
    await quantity('BAR-HZ-12', -7)
    await field.fill('7x')
    await afterTyping()
    await scan(page, 'SDCMDHOME')
    await page.locator('html[data-place=stage]').waitFor()
    await scan(page, 'SDCMDBOOK')
    await quantity('BAR-HZ-12', -7)
    expect(await field.inputValue()).toBe('7x')
  })

  it('types no characters that are saved, although they reach the field before the end of the scan', async () => {
    await open('booking')
    const field = line('BAR-HZ-12').getByRole('textbox')
    await field.focus()
    // the field receives the first characters, because no further key arrives for a while
    await scan(page, '8719327004429', { breakAfter: 2, breakMs: 120, isLive: true })
    await page.locator('[data-echo="unknown"]').waitFor()
    expect(await field.inputValue()).toBe('−2')
    await field.fill('7')
    await afterTyping()
    await scan(page, 'SDCMDPRIMARY', { breakAfter: 2, breakMs: 120, isLive: true })
    await page.locator('[data-phase="working"]').filter({ hasText: '3 lines, −20 pieces' }).waitFor()
  })

  it('does not book the earlier location while the name of another one is typed', async () => {
    await open('booking')
    const location = page.getByRole('combobox')
    await location.fill('A-03-3')
    await afterTyping()
    await scan(page, 'SDCMDPRIMARY')
    await page.locator('[data-echo="typed_waits"]').waitFor()
    // directly after a scan, an Enter counts as a second terminator of the scanner
    await afterTyping()
    await enterByHand(page, location)
    await vi.waitFor(async () => {
      expect(await page.locator('[data-phase="ready"]').textContent()).toContain('A-03-3')
    })
    // Waits, because directly after an Enter the command would count as a part of the same barcode.
    await afterTyping()
    await scan(page, 'SDCMDPRIMARY')
    await page.locator('[data-phase="working"]').filter({ hasText: 'A-03-3' }).waitFor()
  })
})

describe('an operator without a scanner', () => {
  it('leaves the booking with F3 directly after the number was typed, and the number is saved', async () => {
    await open('booking')
    const field = line('BAR-HZ-12').getByRole('textbox')
    await field.fill('7')
    await field.press('F3')
    await page.locator('html[data-place=search]').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('html[data-place=stage]').waitFor()
    await scan(page, 'SDCMDBOOK')
    await quantity('BAR-HZ-12', -7)
  })

  it('finds a location by a part of its name and books with Enter', async () => {
    await open('booking')
    const location = page.getByRole('combobox')
    await location.focus()
    await page.keyboard.type('a-03', { delay: 120 })
    await page.keyboard.press('ArrowDown')
    await enterByHand(page)
    await vi.waitFor(async () => {
      expect(await location.inputValue()).toBe('A-03-3')
    })
    await location.blur()
    // directly after the first Enter, the desk ignores a second one
    await page.waitForTimeout(repeatedReadMs)
    await enterByHand(page)
    await page.locator('[data-outcome="none"][data-phase="working"]').waitFor()
  })

  it('closes the list of locations with one Escape, and leaves the booking with a second Escape', async () => {
    await open('booking')
    const location = page.getByRole('combobox')
    await location.focus()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('listbox').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'hidden' })
    expect(await page.locator('html').getAttribute('data-place')).toBe('modification')
    await page.keyboard.press('Escape')
    await page.locator('html[data-place=stage]').waitFor()
    await enterByHand(page, page.getByRole('button', { name: 'Back to booking' }))
    await quantity('ISO-LE-500', -12)
  })

  it('can increase and decrease the quantity of a line, remove the line, and undo the removal', async () => {
    await open('booking')
    await enterByHand(page, line('BAR-HZ-12').getByRole('button', { name: 'One less of' }))
    await quantity('BAR-HZ-12', -3)
    await enterByHand(page, line('BAR-HZ-12').getByRole('button', { name: 'One more of' }))
    await quantity('BAR-HZ-12', -2)
    await enterByHand(page, line('BAR-HZ-12').getByRole('button', { name: 'Remove' }))
    await line('BAR-HZ-12').waitFor({ state: 'detached' })
    await enterByHand(page, page.getByRole('button', { name: 'Undo' }))
    await quantity('BAR-HZ-12', -2)
  })
})

describe('three scans into a booking within a tenth of a second', () => {
  it('add one piece each', async () => {
    await open('booking-empty')
    for (const code of [oats, drink, oats]) await scan(page, code, { gapMs: 1, pauseMs: 20 })
    await quantity('BAR-HZ-12', 2)
    await quantity('ISO-LE-500', 1)
  })
})
