import { labelScenarios } from './label-scenarios.ts'
import type { Scenario } from './scenario.ts'
import { stageScenarios } from './stage-scenarios.ts'
import { stockScenarios } from './stock-scenarios.ts'

/** Every screen in every state, in the order of the pictures. */
export const scenarios: readonly Scenario[] = [...stageScenarios, ...labelScenarios, ...stockScenarios]
