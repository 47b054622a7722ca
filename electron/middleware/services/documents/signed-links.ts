import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#kit/clock.ts'
import { Refusal } from '../refusal.ts'

/** Signs links to documents. A signed link needs no token and is valid for a limited time. */
export interface LinkSigner {
  /** Returns path and query of a document's link, valid from now for the configured lifetime. */
  sign(documentId: string): string
  /** Throws a Refusal if the signature is wrong or the link has expired. `expires` is in seconds since 1970. */
  verify(documentId: string, expires: string, signature: string): void
}

export function createLinkSigner(options: {
  secret: string | Uint8Array
  lifetimeSeconds: number
  clock: Clock
}): LinkSigner {
  const signature = (documentId: string, expires: string): string =>
    createHmac('sha256', options.secret).update(`${documentId}\n${expires}`).digest('hex')
  return {
    sign(documentId) {
      const expires = String(Math.floor(options.clock.now() / 1000) + options.lifetimeSeconds)
      return `/wms/files/${documentId}.pdf?expires=${expires}&signature=${signature(documentId, expires)}`
    },
    verify(documentId, expires, given) {
      if (!sameText(given, signature(documentId, expires)))
        throw new Refusal('forbidden', 'The signature of this link is not valid.')
      if (Number(expires) * 1000 <= options.clock.now())
        throw new Refusal('forbidden', 'This link has expired.')
    },
  }
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
