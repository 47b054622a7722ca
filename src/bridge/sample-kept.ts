import type { StorageView } from '#shared/bridge/storage-views.ts'
import type { CatalogueOverview } from '#shared/bridge/views.ts'
import { ago } from './sample-views.ts'

/** What is kept of the service, besides the articles that the status tells of: all of it read, nothing left out. */
export function sampleKept(nowMs: number): Omit<CatalogueOverview, 'articles'> {
  return {
    fullReadAt: ago(nowMs, 9 * 60),
    pageRows: 250,
    lots: {
      state: 'ready',
      count: 5120,
      asOf: ago(nowMs, 42),
      everyHours: 6,
      nextAt: ago(nowMs, -318),
      rowsRead: null,
      failure: null,
    },
    shipments: {
      state: 'ready',
      count: 400,
      asOf: ago(nowMs, 3),
      reachesBackTo: ago(nowMs, 90 * 1440),
      goesBackTo: ago(nowMs, 90 * 1440),
      months: 3,
      mostDays: null,
    },
    skippedRows: [],
  }
}

/** A computer that backed up every hour and never lost anything. */
export function sampleStorage(nowMs: number): StorageView {
  return {
    backups: Array.from({ length: 12 }, (_, i) => {
      const at = ago(nowMs, 24 + i * 60)
      return { name: `desk-${at.slice(0, 16).replace(':', '')}.db`, at, bytes: 1_240_000 - i * 9_400 }
    }),
    keepDays: 90,
    journalBytes: 412_300,
    documents: 36,
    documentBytes: 5_230_000,
    recovery: null,
  }
}
