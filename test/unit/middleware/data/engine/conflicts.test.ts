import { expect, it } from 'vitest'
import { untilAccepted } from '#middleware/data/engine/conflicts.ts'
import {
  currentAllowance,
  readingAtMost,
  takeRows,
  TooMuchToRead,
} from '#middleware/data/engine/reading-limit.ts'

/** Length in characters of the text that one call of `read` reads. */
const readSize = 10_000

function read(): void {
  const allowance = currentAllowance()
  if (allowance === null) throw new Error('The test has a reading limit')
  takeRows([{ text: 'x'.repeat(readSize) }], allowance)
}

/** Reads in a transaction that is refused `refusals` times. Returns the number of its tries. */
async function readRefused(refusals: number): Promise<number> {
  let tries = 0
  await untilAccepted(async () => {
    tries += 1
    await Promise.resolve()
    read()
    if (tries <= refusals) throw Object.assign(new Error('refused by the test'), { code: '40001' })
  })
  return tries
}

it('the reads of a refused transaction do not count towards the reading limit of the call', async () => {
  await readingAtMost(1.5 * readSize, async () => expect(await readRefused(3)).toBe(4))
})

it('the reads before a transaction, and those of its successful attempt, count towards the reading limit of the call', async () => {
  const twice = readingAtMost(2.5 * readSize, async () => {
    read()
    await readRefused(2)
    await readRefused(0)
  })
  await expect(twice).rejects.toThrow(TooMuchToRead)
})
