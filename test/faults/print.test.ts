import { describe, expect, it } from 'vitest'
import { count, faultsOfControl, seed } from '#support/counts.ts'
import { printSuite } from './print.ts'

const kept = { lost: 0, printedTwice: 0, falselyClaimed: 0 }

describe('the print queue in the suite `print`', () => {
  it('loses no label, prints none twice and confirms none falsely, although its process is killed and printers interrupt labels', async () => {
    const { passed, figures } = await printSuite({ count: count(36, 900), seed })
    expect(figures).toMatchObject(kept)
    expect(passed).toBe(true)
  }, 3_600_000)

  it('prints every label, and knows the outcome of every print, if there are no faults', async () => {
    const jobs = count(6, 60)
    const { figures } = await printSuite({ count: jobs, seed, control: 'none' })
    expect(figures).toMatchObject({ ...kept, through: jobs, unknown: 0 })
  }, 3_600_000)

  it('prints labels twice, which the suite reports, if a deliberate fault makes it print again after an unknown outcome (control)', async () => {
    const found = faultsOfControl(count(24, 120), async (jobs, seed) => {
      const { figures } = await printSuite({ count: jobs, seed, control: 'resend' })
      return Number(figures['printedTwice'])
    })
    expect(await found).toBeGreaterThan(0)
  }, 3_600_000)
})
