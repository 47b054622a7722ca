import { powerMonitor } from 'electron'
import type { NetworkPort } from '#desk/ports/network.ts'

/** A PC that wakes up has a line that nobody has tried since it fell asleep. */
export const systemNetwork: NetworkPort = {
  onBack(listener) {
    powerMonitor.on('resume', listener)
    return () => void powerMonitor.off('resume', listener)
  },
}
