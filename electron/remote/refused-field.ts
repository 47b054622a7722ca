import { type SenderAddress, senderAddress } from '#shared/wire/address.ts'
import { type ErrorBody } from '#shared/wire/error-body.ts'

export interface RefusedField {
  /** As api.md names it. */
  readonly field: keyof SenderAddress
  readonly reason: string
}

/**
 * The first field of the sender's address that the service complains about, or null. It may name it alone or by its
 * path, in snake_case or camelCase: `sender_address.street_number`, `senderAddress.streetNumber`, `streetNumber`.
 */
export function refusedSenderField({ errors }: ErrorBody): RefusedField | null {
  for (const [path, messages] of Object.entries(errors ?? {})) {
    const field = toSenderField(path)
    if (field) return { field, reason: [messages].flat().join(' ').slice(0, 200) }
  }
  return null
}

function toSenderField(path: string): keyof SenderAddress | null {
  const last = path.split(/[.[\]]+/).findLast((part) => part !== '') ?? ''
  const name = last.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const fields = senderAddress.keyof().options
  return fields.find((field) => field === name) ?? null
}
