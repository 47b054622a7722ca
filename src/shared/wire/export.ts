import { z } from 'zod'
import { exportStatuses, exportTypes } from '../domain/exports.ts'
import { dayOrMinute } from './listing.ts'
import { sentList } from './loose.ts'
import { id, nullableText, byId } from './primitives.ts'

const day = z.union([dayOrMinute, z.literal('').transform(() => null)]).nullish()
/** The filters of an export. PHP writes an empty object as `[]`, so an empty array counts as no filters. */
const filters = z
  .union([
    z.object({ search: z.string().max(255).nullish(), from: day, to: day }),
    sentList(z.never())
      .max(0)
      .transform(() => ({})),
  ])
  .nullish()

const request = {
  filters,
  /** Names of columns in the desired order; empty: all columns. */
  fields: sentList(z.string()).max(200).nullish(),
}

/** Body of POST /wms/exports/ (API.md 11.1). */
export const exportCreate = z.object({ type: z.enum(exportTypes.standard), ...request })
/** POST /wms/exports/billing/. */
export const billingExportCreate = z.object({ type: z.enum(exportTypes.billing), ...request })
/** POST /wms/exports/financial/. */
export const financialExportCreate = z.object({ type: z.enum(exportTypes.financial), ...request })

/** Export (API.md 11.1); `ready` is true exactly when the status is `completed`. */
export const exportRecord = z.object({
  id,
  status: z.enum(exportStatuses),
  extension: z.literal('csv'),
  subject: z.string(),
  type: z.string(),
  filters: z.object({ from: nullableText, to: nullableText, search: nullableText }),
  fields: z.array(z.string()),
  ready: z.boolean(),
})
export type ExportRecord = z.output<typeof exportRecord>

/** Exports (API.md 11). */
export const exportRoutes = {
  createExport: {
    summary: 'Request a CSV export',
    method: 'POST',
    path: '/wms/exports/',
    body: exportCreate,
    status: 201,
    response: exportRecord,
    role: 'EXPORT_CREATE',
  },
  createBillingExport: {
    summary: 'Request a CSV export for billing',
    method: 'POST',
    path: '/wms/exports/billing/',
    body: billingExportCreate,
    status: 201,
    response: exportRecord,
    role: 'EXPORT_BILLING_CREATE',
  },
  createFinancialExport: {
    summary: 'Request a financial CSV export',
    method: 'POST',
    path: '/wms/exports/financial/',
    body: financialExportCreate,
    status: 201,
    response: exportRecord,
    role: 'EXPORT_FINANCIAL_CREATE',
  },
  getExport: {
    summary: 'Get the state of an export',
    method: 'GET',
    path: '/wms/exports/:id/',
    params: byId,
    status: 200,
    response: exportRecord,
    role: 'EXPORT_READ',
  },
  downloadExport: {
    summary: 'Download the CSV file of an export',
    method: 'GET',
    path: '/wms/exports/:id/download/',
    failures: [412],
    params: byId,
    status: 200,
    mediaType: 'text/csv',
    response: z.string(),
    role: 'EXPORT_DOWNLOAD',
  },
} as const
