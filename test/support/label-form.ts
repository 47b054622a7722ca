import type { Page } from '@playwright/test'
import type { Shipment } from '#shared/wire/shipment.ts'
import { handPauseMs } from '#shared/domain/scan-burst.ts'
import { expect, shot } from './app.ts'
import { scan, scanCommand } from './scan.ts'
import { byHand } from './keyboard.ts'

type Typed = Readonly<Record<string, string>>

/** Scans a shipment and waits for its card. */
export async function openShipment(page: Page, shipment: Shipment): Promise<void> {
  await scan(page, shipment.reference)
  await expect(page.locator(`[data-shipment="${shipment.reference}"]`)).toBeVisible()
}

export async function openHandForm(page: Page): Promise<void> {
  await scanCommand(page, 'HAND')
  await expect(page.locator('[data-form="hand"]')).toBeVisible()
}

/** Types the code into the method filter of the form, and chooses the only method that the filter finds. */
export async function chooseMethod(page: Page, code: string): Promise<void> {
  const filter = page.locator('[data-spot="method"]')
  await filter.fill(code)
  const only = page.getByRole('radio', { name: code })
  await expect(page.locator('[name="method"]')).toHaveCount(1)
  // Presses Enter until the method is chosen, because an Enter directly after a scan counts as a key of the scanner.
  await expect(async () => {
    await filter.press('Enter', byHand)
    await expect(only).toBeChecked({ timeout: 250 })
  }).toPass()
  // Waits, because a command barcode that is scanned within `handPauseMs` after a key press would count as part of the
  // same scan as this key.
  await page.waitForTimeout(handPauseMs + 50)
}

/** Fills fields of the label form, which are given by their names in the API. */
export async function fillForm(page: Page, fields: Typed): Promise<void> {
  for (const [field, value] of Object.entries(fields))
    await page.locator(`[data-spot="${field}"]`).fill(value)
}

export async function expectTyped(page: Page, fields: Typed): Promise<void> {
  for (const [field, value] of Object.entries(fields))
    await expect(page.locator(`[data-spot="${field}"]`)).toHaveValue(value)
}

/** Waits until the label on the stage has this phase (label-phase.ts). */
export async function expectPhase(page: Page, phase: string): Promise<void> {
  await expect(page.locator('[data-phase]')).toHaveAttribute('data-phase', phase)
}

/** Switches the desk to Dutch, saves a screenshot, and switches back to English. */
export async function shotInDutch(page: Page, name: string): Promise<void> {
  await scanCommand(page, 'LANGUAGE')
  await expect(page.locator('html')).toHaveAttribute('lang', 'nl')
  await shot(page, name)
  await scanCommand(page, 'LANGUAGE')
  await expect(page.locator('html')).toHaveAttribute('lang', 'en')
}
