import { type SenderAddress, senderAddress, type SenderAddressPatch } from '#shared/wire/address.ts'
import { shortenedAddress } from '#shared/writes/bounds.ts'

const senderFields = Object.keys(senderAddress.shape) as (keyof SenderAddress)[]

/** Whether an address already has the values of a change. A missing value is equal to an empty text. */
export function alreadySays(sender: SenderAddress | null, changes: SenderAddressPatch): boolean {
  if (sender === null) return false
  return senderFields.every(
    (field) => !(field in changes) || (sender[field] ?? '') === (changes[field] ?? ''),
  )
}

/** Returns an address with some of its fields changed. Missing fields become null, and long ones are cut. */
export function changedSender(sender: SenderAddress | null, changes: SenderAddressPatch): SenderAddress {
  const fields = senderFields.map((field) => {
    const changed = changes[field]
    return [field, changed === undefined ? (sender?.[field] ?? null) : changed] as const
  })
  return shortenedAddress(senderAddress.parse(Object.fromEntries(fields)))
}
