import { serverLabelIdOf } from './ids.ts'
import type { LabelDescription } from '#shared/writes/return-label.ts'

/** Returns a label as the service describes it: not requested and without codes. `said` replaces fields. */
export function describedLabel(
  serverId: string,
  said: Partial<Omit<LabelDescription, 'serverId'>> = {},
): LabelDescription {
  return {
    serverId: serverLabelIdOf(serverId),
    externalReference: null,
    trackingCode: null,
    codes: [],
    requested: false,
    sender: null,
    shipment: null,
    ...said,
  }
}
