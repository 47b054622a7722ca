import type { z } from 'zod'
import type { ExportFamily } from '#shared/domain/exports.ts'
import type { exportCreate, ExportRecord } from '#shared/wire/export.ts'
import { routes } from '#shared/wire/routes.ts'
import { readExportFields, readExportFilters } from '../data/exports/stored-exports.ts'
import type { ExportRow } from '../data/schema/exports.ts'
import { createExport, getExport, type NewExport, openExport } from '../services/exports/exports.ts'
import { register, registerFile, type RouteHost } from './register.ts'

const options = { expand: [] } as const

/** Exports (API.md 11). */
export function registerExports(host: RouteHost): void {
  const { context } = host
  register(host, routes.createExport, options, async ({ caller, body }) =>
    toWireExport(await createExport(context, caller.customer, fromWireExport('standard', body))),
  )
  register(host, routes.createBillingExport, options, async ({ caller, body }) =>
    toWireExport(await createExport(context, caller.customer, fromWireExport('billing', body))),
  )
  register(host, routes.createFinancialExport, options, async ({ caller, body }) =>
    toWireExport(await createExport(context, caller.customer, fromWireExport('financial', body))),
  )
  register(host, routes.getExport, options, async ({ caller, params }) =>
    toWireExport(await getExport(context, caller.customer, params.id)),
  )
  registerFile(host, routes.downloadExport, async ({ caller, params, hasLeft }) =>
    openExport(context, caller.customer, params.id, hasLeft),
  )
}

/** Returns an export in the form of API.md 11.1. */
function toWireExport(row: ExportRow): ExportRecord {
  return {
    id: row.id,
    status: row.status,
    extension: 'csv',
    subject: row.family,
    type: row.type,
    filters: readExportFilters(row.filters),
    fields: readExportFields(row.fields),
    ready: row.status === 'completed',
  }
}

/** Converts the body of a request for an export. An empty filter is ignored. */
function fromWireExport(
  family: ExportFamily,
  body: Omit<z.output<typeof exportCreate>, 'type'> & { type: string },
): NewExport {
  const { search, from, to }: { search?: string | null; from?: string | null; to?: string | null } =
    body.filters ?? {}
  return {
    family,
    type: body.type,
    filters: { search: blankToNull(search), from: from ?? null, to: to ?? null },
    fields: body.fields ?? [],
  }
}

function blankToNull(text: string | null | undefined): string | null {
  return text === undefined || text === null || text.trim() === '' ? null : text
}
