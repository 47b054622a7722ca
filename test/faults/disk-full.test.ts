import { expect, it } from 'vitest'
import { count, seed } from '#support/counts.ts'
import { canMount } from '#support/small-disk.ts'
import { diskFull } from './disk-full.ts'

it.skipIf(!canMount())(
  'in the suite disk-full a desk refuses data for which the disk has no space, and works again when there is space',
  { timeout: 3_600_000 },
  async () => {
    const { passed, figures } = await diskFull({ count: count(8, 100), seed })
    expect(figures['findings']).toBeUndefined()
    expect(figures['refused']).toBeGreaterThan(0)
    expect(passed).toBe(true)
  },
)
