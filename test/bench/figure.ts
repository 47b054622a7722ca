/** The measured values of one action: one value or many. */
export interface Sample {
  readonly name: string
  readonly values: readonly number[]
}

/** A comparison measurement (peer) that could not be made. `why` is the cause. */
export interface NoPeer {
  readonly name: string
  readonly why: string
}

/**
 * A limit for a figure (the measured values of one action). The peer of a figure is the measurement with which it is
 * compared. `ratio` limits the median of the figure divided by the median of its peer. `p95Ratio` and `p99Ratio` limit
 * the 95th and the 99th percentile of the figure, each divided by the same percentile of the peer. `p50`, `p95` and
 * `p99` limit absolute values, which can only be compared between machines of the same kind.
 */
export type Goal = { readonly of: 'ratio' | 'p95Ratio' | 'p99Ratio' | 'p50' | 'p95' | 'p99' } & (
  { readonly atMost: number } | { readonly atLeast: number }
)

interface FigureOptions {
  readonly unit?: 'ms' | 'us' | 'rows/s' | 'events/s' | 'requests/s' | 'requests/CPU-s' | 'MB' | 'scans'
  readonly goal?: Goal
}

/**
 * Prints a figure and the measurement with which it is compared (peer) as one line of JSON. The speed of machines
 * differs, so only the ratio of figure to peer can be compared between machines. If the peer could not be measured, a
 * goal for the ratio counts as not met.
 */
export function printFigure(figure: Sample, peer: Sample | NoPeer, options: FigureOptions = {}): void {
  const { unit = 'ms', goal } = options
  const own = quantiles(figure.values)
  const other = quantiles('why' in peer ? [] : peer.values)
  const measured = {
    p50: own.p50,
    p95: own.p95,
    p99: own.p99,
    ratio: quotient(own.p50, other.p50),
    p95Ratio: quotient(own.p95, other.p95),
    p99Ratio: quotient(own.p99, other.p99),
  }
  const line = {
    figure: figure.name,
    unit,
    n: figure.values.length,
    p50: own.p50,
    p95: own.p95,
    p99: own.p99,
    peer: peer.name,
    notMeasured: 'why' in peer ? peer.why : null,
    peerP50: other.p50,
    peerP95: other.p95,
    peerP99: other.p99,
    ratio: measured.ratio,
    p95Ratio: measured.p95Ratio,
    p99Ratio: measured.p99Ratio,
    goal: goal ? inWords(goal) : null,
    met: goal ? isMet(goal, measured[goal.of]) : null,
  }
  console.log(
    JSON.stringify(line, (_key, value: unknown) =>
      typeof value === 'number' ? rounded(value) : (value ?? undefined),
    ),
  )
}

interface Quantiles {
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/**
 * Returns the median and the percentiles. A p95 needs at least twenty values and a p99 at least a hundred; with fewer
 * values the percentile is null.
 */
function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number, atLeast: number): number | null =>
    sorted.length < atLeast
      ? null
      : (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null)
  return { p50: at(0.5, 1), p95: at(0.95, 20), p99: at(0.99, 100) }
}

function quotient(own: number | null, other: number | null): number | null {
  return own === null || other === null || other === 0 ? null : own / other
}

/** Rounds a fraction to three significant digits, as further digits are noise. Returns a whole number unchanged. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(3))
}

function inWords(goal: Goal): string {
  return 'atMost' in goal ? `${goal.of} <= ${rounded(goal.atMost)}` : `${goal.of} >= ${rounded(goal.atLeast)}`
}

function isMet(goal: Goal, value: number | null): boolean {
  if (value === null) return false
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast
}
