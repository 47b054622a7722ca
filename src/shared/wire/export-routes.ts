import { z } from 'zod'
import { billingExportCreate, exportCreate, exportRecord, financialExportCreate } from './export.ts'
import { byId } from './primitives.ts'

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
