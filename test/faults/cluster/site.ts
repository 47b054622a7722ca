import { z } from 'zod'

/** `without-leases`: every process gets every lease. The suite must detect that work is done twice. */
export const clusterControls = ['without-leases'] as const
export type ClusterControl = (typeof clusterControls)[number]

/** The lifetime of a lease: short, so that work of a killed process is soon continued. */
export const leaseMs = 5000

/**
 * A process, or the database, that stands still for so long a few times may lose its leases, because it renews them each
 * third of their lifetime. A machine with other work does this to it.
 */
export const standstillMs = leaseMs / 6

/** The argument of a child. */
export const given = z.object({
  /** With the name of the process as `application_name`, by which its connections are found. */
  databaseUrl: z.string(),
  /** The name of the process in the journal. */
  name: z.string(),
  /** The file to which all processes append the calls of their carriers. */
  journal: z.string(),
  /** The certificate authority of the receiver (PEM). */
  webhookCa: z.string(),
  control: z.enum(clusterControls).nullable(),
})
export type Given = z.infer<typeof given>

/** A line of the journal: a call of a carrier for a return label began or ended, or the process stood still. */
export const note = z.object({
  name: z.string(),
  what: z.enum(['begun', 'ended', 'stood still']),
  /** The serial number of the label. Null: a standstill. */
  serial: z.number().nullable(),
  /** Milliseconds since 1970; of a standstill its end. */
  at: z.number(),
})
export type Note = z.infer<typeof note>
