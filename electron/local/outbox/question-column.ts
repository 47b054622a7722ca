import { z } from 'zod'
import type { AskedQuestion, CommandFacts, SeenRecord, StoredQuestion } from '#desk/ports/commands.ts'
import { serviceRecord } from '#shared/bridge/queue-views.ts'
import { senderAddress } from '#shared/wire/address.ts'

const facts: z.ZodType<CommandFacts> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('return_label'),
    label: z
      .object({
        serverId: z.string(),
        externalReference: z.string().nullable(),
        trackingCode: z.string().nullable(),
        codes: z.array(z.string()),
        requested: z.boolean(),
        sender: senderAddress.nullable(),
        shipment: z.object({ id: z.string(), reference: z.string() }).nullable(),
      })
      .nullable(),
    isCancelled: z.boolean(),
  }),
  z.object({
    kind: z.literal('modification'),
    serverId: z.string(),
    reference: z.string(),
    status: z.string(),
  }),
])

const records: z.ZodType<SeenRecord[]> = z.array(z.object({ record: serviceRecord, facts }))

const question: z.ZodType<StoredQuestion> = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['outcome', 'exists']), records }),
  z.object({ kind: z.literal('changed') }),
])

const asked: z.ZodType<AskedQuestion> = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['outcome', 'exists']), records: z.array(z.object({ record: serviceRecord })) }),
  z.object({ kind: z.literal('changed') }),
])

/** One that this version cannot read is asked without its records: the question matters more. */
export function questionFromColumn(column: string | null): StoredQuestion | null {
  if (column === null) return null
  const parsed = question.safeParse(JSON.parse(column))
  return parsed.success ? parsed.data : { kind: 'changed' }
}

/** A question by its kind and one of its records as JSON, null: none. One that cannot be read is as questionFromColumn's. */
export function askedFromColumns(kind: string | null, record: string | null): AskedQuestion | null {
  if (kind === null) return null
  const shown: unknown = record === null ? null : JSON.parse(record)
  const parsed = asked.safeParse({ kind, records: record === null ? [] : [{ record: shown }] })
  return parsed.success ? parsed.data : { kind: 'changed' }
}

export function recordsFromColumn(column: string): readonly SeenRecord[] {
  const parsed = records.safeParse(JSON.parse(column))
  return parsed.success ? parsed.data : []
}
