import { z } from 'zod'

/**
 * Ids that must not be taken for one another. Each is text of a type of its own, so that the compiler refuses a swap. A
 * text becomes an id where it enters: in a schema of the wire or of the bridge, in the record of a SQLite row, or where
 * an id is made (`labelId.parse(crypto.randomUUID())`).
 */

const text = z.string().min(1).max(100)

/** A record of the service, whatever it is: a return label, a shipment, a booking. */
export const serverId = text.brand<'ServerId'>()
export type ServerId = string & z.$brand<'ServerId'>

/** A return label in desk.db. */
export const labelId = text.brand<'LabelId'>()
export type LabelId = string & z.$brand<'LabelId'>

/** A return label at the service. */
export const serverLabelId = text.brand<'ServerId' | 'ServerLabelId'>()
export type ServerLabelId = string & z.$brand<'ServerId' | 'ServerLabelId'>
