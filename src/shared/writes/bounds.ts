import { senderAddress, type SenderAddress } from '../wire/address.ts'

/** Maximum lengths, in characters, of names and codes in a record that is stored with a question to the operator. */
export const longestName = 200
export const longestCode = 255

/** Returns the beginning of a text, at most `longestCode` characters. */
export function shortened<Text extends string | null>(text: Text): Text | string {
  return text && text.slice(0, longestCode)
}

const addressFields = Object.keys(senderAddress.shape) as (keyof SenderAddress)[]
const cut = '…'

/**
 * Maximum length of a field of an address, in characters, if the contract has no shorter limit. No valid postcode,
 * phone number or e-mail address is longer. The form of a label refuses a longer text in each field that it shows.
 */
export const longestAddressField = 255

/**
 * Returns the address with each field that has more than `longestAddressField` characters cut to this length and
 * followed by an ellipsis. A cut field is one character longer than the limit: therefore it is recognised and never
 * sent.
 */
export function shortenedAddress(address: SenderAddress): SenderAddress {
  const short = { ...address }
  for (const field of addressFields) {
    const text = address[field]
    if (text !== null && text.length > longestAddressField)
      short[field] = text.slice(0, longestAddressField) + cut
  }
  return short
}
