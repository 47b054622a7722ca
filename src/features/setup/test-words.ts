import { m } from '#messages/messages.js'
import type { TestPageView } from '#shared/bridge/paper-views.ts'
import type { TestAdvice, TestVerdict } from '#shared/domain/test-page.ts'
import { formatNumber } from '#ui/format.ts'
import type { Outcome } from '#ui/outcome.ts'
import type { StrayScan } from './test-page.state.svelte.ts'

type Mark = TestPageView['marks'][number]

export function widthWords(widthMm: number): string {
  return m.test_width({ width: formatNumber(Math.round(widthMm * 100) / 100) })
}

export function markWords({ kind, moduleMm }: Mark): string {
  if (kind === 'matrix') return m.test_qr()
  const width = widthWords(moduleMm)
  return kind === 'turned' ? m.test_lying({ width }) : width
}

const advices: Readonly<Record<TestAdvice, () => string>> = {
  dpi: m.test_advice_dpi,
  scale: m.test_advice_scale,
  scanner: m.test_advice_scanner,
  darker: m.test_advice_darker,
  lighter: m.test_advice_lighter,
  darkness: m.test_advice_darkness,
  speed: m.test_advice_speed,
  head: m.test_advice_head,
}

/** What was found, and what to change in the order in which it is worth trying. */
export function verdictWords({ outcome, finestMm, advice }: TestVerdict): {
  readonly outcome: Outcome
  readonly text: string
  readonly finest: string
  readonly steps: readonly string[]
} {
  const texts = { ok: m.test_ok, look: m.test_look, stop: m.test_stop }
  return {
    outcome: outcome === 'ok' ? 'done' : outcome,
    text: texts[outcome](),
    finest: finestMm === null ? '' : m.test_finest({ width: widthWords(finestMm) }),
    steps: advice.map((one) => advices[one]()),
  }
}

export function strayWords(stray: StrayScan, wanted: string): string {
  return stray.kind === 'no_mark' ? m.test_no_mark() : m.test_other_run({ run: stray.run, wanted })
}
