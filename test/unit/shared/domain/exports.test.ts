import { describe, expect, it } from 'vitest'
import {
  canMoveExport,
  exportStatuses,
  exportStatusesBefore,
  type ExportStatus,
} from '#shared/domain/exports.ts'

const allowed: readonly (readonly [ExportStatus, ExportStatus])[] = [
  ['created', 'processing'],
  ['processing', 'completed'],
  ['processing', 'failed'],
  ['processing', 'created'],
  ['completed', 'expired'],
]
const pairs = exportStatuses.flatMap((from) => exportStatuses.map((to) => [from, to] as const))

describe('the states of an export', () => {
  it.each(pairs)(
    'allow the transition from %s to %s if, and only if, this test lists it as allowed',
    (from, to) => {
      const expected = allowed.some(([a, b]) => a === from && b === to)
      expect(canMoveExport(from, to)).toBe(expected)
      expect(exportStatusesBefore(to).includes(from)).toBe(expected)
    },
  )
})
