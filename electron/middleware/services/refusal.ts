/** Why a call is refused. plugins/failures.ts maps each kind to its HTTP status. */
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

/** Messages by field, in the snake_case names of the API. An empty name means the call as a whole. */
export type FieldMessages = Readonly<Record<string, readonly string[]>>

/** Thrown by services and plugins. The client receives the message unchanged. */
export class Refusal extends Error {
  readonly kind: RefusalKind
  readonly fields: FieldMessages | null
  /** Seconds after which the same call may succeed. Null: unknown. */
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

/** Refuses a call with 400 and the message under one field of the payload. */
export function invalidField(field: string, message: string): Refusal {
  return new Refusal('invalid', message, { fields: { [field]: [message] } })
}
