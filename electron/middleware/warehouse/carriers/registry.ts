import { bergfinkPaket } from './bergfink-paket.ts'
import type { Carrier } from './carrier.ts'
import { marlpitCouriers } from './marlpit-couriers.ts'
import { polderPost } from './polder-post.ts'
import { stormvogelExpress } from './stormvogel-express.ts'

export const carriers: readonly Carrier[] = [polderPost, bergfinkPaket, marlpitCouriers, stormvogelExpress]

/** The carrier behind a shipping method's `carrier` key. Throws RangeError for a key that nobody answers to. */
export function carrierFor(key: string): Carrier {
  const carrier = carriers.find((candidate) => candidate.key === key)
  if (!carrier) throw new RangeError(`no carrier ${key}`)
  return carrier
}
