import { z } from 'zod'

/** `without-leases`: every process gets every lease. The suite must detect that work is done twice. */
export const clusterControls = ['without-leases'] as const
export type ClusterControl = (typeof clusterControls)[number]

/**
 * Lifetime of a lease in milliseconds. It is short, so that another process soon continues the work of a killed
 * process.
 */
export const leaseMs = 5000

/**
 * A pause of a process or of the database that is longer than this many milliseconds counts as a standstill. A process
 * renews its leases after a third of their lifetime. On a busy machine, a few standstills can delay the renewal until
 * the leases end.
 */
export const standstillMs = leaseMs / 6

/** The argument of a middleware process of the suite, as JSON. */
export const given = z.object({
  /**
   * URL of the database. Its `application_name` is the name of the process, which identifies the connections of the
   * process.
   */
  databaseUrl: z.string(),
  /** The name of the process in the journal. */
  name: z.string(),
  /** The file to which each process appends its calls to carriers for return labels, and its standstills. */
  journal: z.string(),
  /** The certificate authority of the receiver (PEM). */
  webhookCa: z.string(),
  control: z.enum(clusterControls).nullable(),
})
export type Given = z.infer<typeof given>

/**
 * A line of the journal. `begun`, `ended`: the call of a process to a carrier for a return label has begun or ended.
 * `stood still`: a process has stood still.
 */
export const note = z.object({
  name: z.string(),
  what: z.enum(['begun', 'ended', 'stood still']),
  /** The serial number of the label. Null in a line with `stood still`. */
  serial: z.number().nullable(),
  /** Time of the event in milliseconds since 1970: the begin or end of a call, or the end of a standstill. */
  at: z.number(),
})
export type Note = z.infer<typeof note>
