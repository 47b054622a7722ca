import { keptScenarios } from './kept-scenarios.ts'
import { labelScenarios } from './label-scenarios.ts'
import { outageScenarios } from './outage-scenarios.ts'
import { paperScenarios } from './paper-scenarios.ts'
import { queueScenarios } from './queue-scenarios.ts'
import { printScenarios } from './print-scenarios.ts'
import { printerScenarios } from './printer-scenarios.ts'
import { scannerScenarios } from './scanner-scenarios.ts'
import type { Scenario } from './scenario.ts'
import { setupNoticeScenarios } from './setup-notice-scenarios.ts'
import { stageScenarios } from './stage-scenarios.ts'
import { stationScenarios } from './station-scenarios.ts'
import { decisionScenarios } from './decision-scenarios.ts'
import { stockScenarios } from './stock-scenarios.ts'
import { speedScenarios } from './speed-scenarios.ts'
import { supportScenarios } from './support-scenarios.ts'

/** All scenarios: every screen in every state, in the order of the pictures. */
export const scenarios: readonly Scenario[] = [
  ...stageScenarios,
  ...stationScenarios,
  ...setupNoticeScenarios,
  ...speedScenarios,
  ...supportScenarios,
  ...labelScenarios,
  ...printerScenarios,
  ...scannerScenarios,
  ...stockScenarios,
  ...decisionScenarios,
  ...queueScenarios,
  ...printScenarios,
  ...paperScenarios,
  ...outageScenarios,
  ...keptScenarios,
]
