/** Why a call is not carried out; plugins/failures.ts gives each its HTTP status. */
export type RefusalKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'already_requested'
  | 'too_late'
  | 'not_ready'
  | 'key_reused'
  | 'at_limit'
  | 'too_many'
  | 'busy'
  | 'failed'

/** Messages by field, in the outside's snake_case names; an empty name stands for the call as a whole. */
export type FieldMessages = Readonly<Record<string, readonly string[]>>

/** Thrown by services and plugins; the message travels to the client as it is. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly fields: FieldMessages | null
  /** When the same call may succeed; null where nobody knows. */
  readonly retryAfterSeconds: number | null
  constructor(
    kind: RefusalKind,
    message: string,
    options: { fields?: FieldMessages; cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, options.cause === undefined ? {} : { cause: options.cause })
    this.name = 'Refusal'
    this.kind = kind
    this.fields = options.fields ?? null
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
  }
}

/** One field of the payload is wrong: 400 with the message under that field. */
export function invalidField(field: string, message: string): Refusal {
  return new Refusal('invalid', message, { fields: { [field]: [message] } })
}
