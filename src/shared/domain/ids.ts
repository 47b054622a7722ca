import { z } from 'zod'

/**
 * Each kind of record has its own type of id, so that the compiler refuses an id of another kind. A text becomes an id
 * where it enters the program: in a schema of the wire or of the bridge, in the record of a SQLite row, or where an id
 * is created (`labelId.parse(crypto.randomUUID())`).
 */

const text = z.string().min(1).max(100)

/** The id of any record of the service: a return label, a shipment, a booking. */
export const serverId = text.brand<'ServerId'>()
export type ServerId = string & z.$brand<'ServerId'>

/** The id of a return label in desk.db. */
export const labelId = text.brand<'LabelId'>()
export type LabelId = string & z.$brand<'LabelId'>

/** The id of a return label at the service. */
export const serverLabelId = text.brand<'ServerId' | 'ServerLabelId'>()
export type ServerLabelId = string & z.$brand<'ServerId' | 'ServerLabelId'>

/** The id of a write in the outbox. */
export const commandId = text.brand<'CommandId'>()
export type CommandId = string & z.$brand<'CommandId'>
